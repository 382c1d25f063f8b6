import type { Writable } from 'node:stream';
import { destination, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { TimelineEvent } from '../events.ts';
import { eventWords } from './event-text.ts';
import type { Timeline } from './timeline.ts';

/** Levels of the log, quietest last. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** Default `info`: a line for each stream; `debug`: for each event. */
  readonly level?: LogLevel;
  /** Where lines go; default: stderr, written at once so that nothing is lost when the process ends. */
  readonly stream?: Writable;
  /** Readable lines instead of NDJSON; for a TTY. Default false. */
  readonly pretty?: boolean;
  /** Colour in readable lines; default false. */
  readonly colour?: boolean;
}

/** A pino logger: NDJSON, or readable lines. What makes lines readable is loaded only where asked for. */
export async function createLog({ level = 'info', stream, pretty = false, colour = false }: LogOptions = {}): Promise<Logger> {
  const target: DestinationStream = stream ?? destination({ fd: 2, sync: true });
  return pino({ level, base: null }, pretty ? await prettyStream(target, colour) : target);
}

async function prettyStream(target: DestinationStream, colorize: boolean): Promise<DestinationStream> {
  // The default export is the one that also exists once all is bundled.
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: target as Writable,
    colorize,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname,event,seq,atMs',
  });
}

/** Streams are what somebody who watches a server wants to see without asking for more. */
const atInfo: ReadonlySet<TimelineEvent['event']> = new Set([
  'stream.opened',
  'stream.closed',
  'stream.refused',
  'server.started',
  'server.stopped',
  'server.silenced',
  'certificate.signed',
  'token.written',
  'certificate.received',
]);
/** Something was rejected, or failed: whoever watches should see it. */
const atWarn: ReadonlySet<TimelineEvent['event']> = new Set([
  'server.failed',
  'response.nacked',
  'handshake.failed',
  'token.rejected',
  'identity.mismatched',
  'caller.turned-away',
  'csr.rejected',
  'certificate.refused',
]);

/** Logs every event: streams and the server at info, rejections and failures at warn, all else at debug. The returned function ends that. */
export function logEvents(timeline: Timeline, log: Logger): () => void {
  return timeline.subscribe((event) => {
    const level = atWarn.has(event.event) ? 'warn' : atInfo.has(event.event) ? 'info' : 'debug';
    if (log.isLevelEnabled(level)) log[level](event, eventWords(event).text);
  });
}
