import type { Clock } from '../clock.ts';
import type { Event } from '../events.ts';
import { createTimeline, type SourceTimeline } from '../observe/timeline.ts';
import type { FakeIstiodOptions } from '../options.ts';
import { MessageStore } from '../session/message-store.ts';
import { responseMessage, responseSize } from '../wire/response-size.ts';

/** How much of the past is kept: `FakeIstiodOptions.journal`. */
const defaultEvents = 200_000;
const defaultEventBytes = 64 * 1024 * 1024;
const defaultMessageBytes = 64 * 1024 * 1024;

/** What is remembered of a server's life. */
export interface Recording {
  readonly timeline: SourceTimeline;
  readonly messages: MessageStore;
  emit(event: Event): void;
}

/** A recording that begins now. */
export function newRecording({ journal = {}, onEvent }: FakeIstiodOptions, clock: Clock): Recording {
  const { events = defaultEvents, eventBytes = defaultEventBytes, messageBytes = defaultMessageBytes } = journal;
  const timeline = createTimeline(clock, { capacity: events, maxBytes: eventBytes });
  if (onEvent) timeline.subscribe(onEvent);
  return {
    timeline,
    messages: new MessageStore({
      codec: { sizeOf: responseSize, encode: responseMessage },
      maxBytes: messageBytes,
      maxFacts: events,
      maxFactBytes: eventBytes,
    }),
    emit: (event) => void timeline.note(event),
  };
}
