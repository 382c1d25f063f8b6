import type { Timeline } from '../index.ts';
import type { EventName, TimelineEvent } from '../events.ts';
import { eventText } from '../observe/event-text.ts';
import { lastEventsText } from '../observe/wait.ts';
import type { Subject } from './subject.ts';

/** What may hold an Envoy back, or tell why it went on. */
const telling: ReadonlySet<EventName> = new Set([
  'response.withheld',
  'response.delayed',
  'response.dropped',
  'response.nacked',
  'stream.closed',
  'stream.refused',
  'handshake.failed',
  'token.rejected',
  'envoy.exited',
  'server.stopped',
  'server.silenced',
]);

/** What is known around a failure, a paragraph: Envoy's readiness, the nearest event, the last ten. */
export async function evidence({ admin, timeline }: Subject, isNear = isTelling): Promise<string> {
  const ready = admin && (await readyText(admin));
  return [ready, timeline && nearestText(timeline, isNear), timeline && lastEventsText(timeline)].filter(Boolean).join('\n');
}

/** `Envoy's /ready says 503 PRE_INITIALIZING`. */
async function readyText(admin: NonNullable<Subject['admin']>): Promise<string> {
  try {
    const { code, body } = await admin.ready();
    return `Envoy's /ready says ${code} ${body}`;
  } catch (error) {
    return `Envoy's /ready says nothing: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function isTelling({ event }: TimelineEvent): boolean {
  return telling.has(event);
}

function nearestText(timeline: Timeline, isNear: (event: TimelineEvent) => boolean): string | undefined {
  const nearest = timeline.events.findLast(isNear);
  return nearest && `nearest: ${eventText(nearest)}`;
}

const heading = 'last events:';

/** `text` with the last events below it, unless it has them already. */
export function withTimeline(text: string, timeline: Timeline): string {
  return text.includes(heading) ? text : `${text}\n\n${lastEventsText(timeline)}`;
}

/**
 * Puts the last events into an error's message (and its stack, which frameworks print), once. Gives the error itself; what is no error
 * stays as it is.
 */
export function withTimelineAtError(error: unknown, timeline: Timeline): unknown {
  if (typeof error !== 'object' || error === null || !('message' in error) || typeof error.message !== 'string') return error;
  const before = error.message;
  const after = withTimeline(before, timeline);
  if (after === before) return error;
  const stack = 'stack' in error && typeof error.stack === 'string' ? error.stack.replace(before, () => after) : undefined;
  error.message = after;
  if (stack !== undefined) Object.assign(error, { stack });
  return error;
}
