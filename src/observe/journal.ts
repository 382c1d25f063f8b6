import { FakeIstiodError } from '../errors.ts';
import type { EventNamed } from './wait.ts';
import type { TimelineEvent } from '../events.ts';
import type { Frame, FrameCount, FrameFilter, Journal } from './frame.ts';
import { countText, filterText, frameText } from './frame-text.ts';
import { frameDifferences } from './frame-match.ts';
import type { Timeline } from './timeline.ts';

/** What is known of messages beside what events say. */
export interface MessageFacts {
  sizeOf(seq: number): number | undefined;
  errorDetailOf(seq: number): { readonly code: number; readonly message: string } | undefined;
  bytesOf(seq: number): Uint8Array | undefined;
}

/** How many of the last frames an error shows. */
const shown = 10;

/** The journal of a timeline: frames are made of its events when somebody looks. */
export function createJournal(timeline: Timeline, messages: MessageFacts): Journal {
  const frames = (filter: FrameFilter = {}, limit = Infinity): readonly Frame[] => {
    const found: Frame[] = [];
    for (let place = timeline.events.length - 1; place >= 0 && found.length < limit; place--) {
      const event = timeline.events[place] as TimelineEvent;
      if (filter.since !== undefined && event.seq <= filter.since) break;
      const frame = frameOf(event, messages);
      if (frame && frameDifferences(filter, frame).length === 0) found.push(frame);
    }
    return found.reverse();
  };
  return {
    frames,
    count: (filter) => frames(filter).length,
    assert(expected, filter = {}) {
      checkCount(expected);
      const count = frames(filter).length;
      if (!fits(expected, count)) throw unexpected(expected, filter, count, frames({ since: filter.since ?? 0 }));
    },
    message: (seq) => messages.bytesOf(seq),
    get dropped() {
      return timeline.dropped;
    },
  };
}

/** The frame that an event tells of, if it does. */
function frameOf(event: TimelineEvent, messages: MessageFacts): Frame | undefined {
  if (event.event === 'request.received') return requestFrame(event, messages);
  if (event.event !== 'response.sent') return undefined;
  const { event: _, ...facts } = event;
  return Object.freeze({ ...facts, direction: 'out', ...sizeOf(event.seq, messages) });
}

function requestFrame(event: EventNamed<'request.received'>, messages: MessageFacts): Frame {
  const { event: _, unsubscribed, ...facts } = event;
  const errorDetail = messages.errorDetailOf(event.seq);
  return Object.freeze({
    ...facts,
    direction: 'in',
    removed: unsubscribed,
    ...sizeOf(event.seq, messages),
    ...(errorDetail ? { errorDetail } : {}),
  });
}

function sizeOf(seq: number, messages: MessageFacts): { readonly size?: number } {
  const size = messages.sizeOf(seq);
  return size === undefined ? {} : { size };
}

function checkCount({ exactly, atLeast, atMost }: FrameCount): void {
  if ([exactly, atLeast, atMost].some((bound) => bound !== undefined)) return;
  throw new FakeIstiodError('options.invalid', 'it is not said how many frames are expected', {
    remedy: 'Give exactly, atLeast or atMost',
  });
}

function fits({ exactly = NaN, atLeast = -Infinity, atMost = Infinity }: FrameCount, count: number): boolean {
  return (Number.isNaN(exactly) || count === exactly) && count >= atLeast && count <= atMost;
}

function unexpected(expected: FrameCount, filter: FrameFilter, count: number, all: readonly Frame[]): FakeIstiodError {
  const what = filterText(filter);
  const found = `expected ${countText(expected)} ${what}; the journal holds ${count}`;
  return new FakeIstiodError('journal.unexpected', [found, ...nearestText(filter, all, count), ...lastText(all)].join('\n'));
}

/** The frame that differs least from what was asked for, where there is none that does not. */
function nearestText(filter: FrameFilter, all: readonly Frame[], count: number): readonly string[] {
  if (count > 0) return [];
  let nearest: { readonly frame: Frame; readonly differing: readonly string[] } | undefined;
  for (const frame of all) {
    const differing = frameDifferences(filter, frame);
    if (!nearest || differing.length <= nearest.differing.length) nearest = { frame, differing };
  }
  return nearest ? [`nearest: ${frameText(nearest.frame)} (${nearest.differing.join('; ')})`] : [];
}

function lastText(all: readonly Frame[]): readonly string[] {
  if (all.length === 0) return ['no frame came in or went out'];
  return ['last frames:', ...all.slice(-shown).map((frame) => `  ${frameText(frame)}`)];
}
