import type { EventName, TimelineEvent } from '../events.ts';
import { durationText } from '../script/duration.ts';
import { identityWords } from './identity-text.ts';
import { shortened } from './short-text.ts';

/** What a line is about, for whoever colours it. */
export type EventTone = 'in' | 'out' | 'good' | 'bad' | 'state' | 'script' | 'quiet';

/** One event as a person reads it. */
export interface EventWords {
  /** `→` from Envoy, `←` to Envoy, `✓`, `✗`, `●` a state, `▶` a step, `·` all else. */
  readonly mark: string;
  readonly tone: EventTone;
  /** One line, white space normalised. */
  readonly text: string;
}

/** An instant of the timeline, in seconds: `0.213`. */
export function instantText(atMs: number): string {
  return (atMs / 1_000).toFixed(3);
}

/** An event as one line without colour: `0.213  →  CDS request, initial  (stream 1, sotw)`. Cut to `width` columns if given. */
export function eventText(event: TimelineEvent, { width }: { readonly width?: number } = {}): string {
  const { mark, text } = eventWords(event);
  return cut(`${instantText(event.atMs).padStart(7)}  ${mark}  ${text}`, width);
}

/** Cuts a line to `width` columns, saying so with an ellipsis. */
export function cut(line: string, width: number | undefined): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}

type Told = readonly [mark: string, tone: EventTone, text: string];
type Of<N extends EventName> = Extract<TimelineEvent, { event: N }>;

/** How each of these events is told. */
export type WordsOf<N extends EventName> = { readonly [K in N]: (event: Of<K>) => Told };

/** An event in words. */
export function eventWords(event: TimelineEvent): EventWords {
  const [mark, tone, text] = told(event.event, event);
  const at = event.istiod === undefined ? '' : ` @${event.istiod}`;
  return { mark, tone, text: `${text.replace(/\s+/g, ' ').trim()}${at}` };
}

function told<N extends EventName>(name: N, event: Of<N>): Told {
  return words[name](event);
}

const frameWords: WordsOf<
  | 'request.received'
  | 'response.acked'
  | 'response.nacked'
  | 'response.sent'
  | 'response.withheld'
  | 'response.delayed'
  | 'response.dropped'
> = {
  'request.received': (event) =>
    event.outcome === 'ack' || event.outcome === 'nack'
      ? quietRequest(event)
      : ['→', 'in', `${event.type} request${requestDetails(event)}${streamText(event)}`],
  'response.acked': (event) => ['→', 'good', `${event.type} ACK ${event.version}${streamText(event)}`],
  'response.nacked': (event) => ['→', 'bad', `${event.type} NACK: ${event.text}${streamText(event)}`],
  'response.sent': (event) => [
    '←',
    'out',
    `${event.type} response ${event.version}, ${sentText(event)}${causeText(event.cause)}${streamText(event)}`,
  ],
  'response.withheld': (event) => [
    '⏸',
    'script',
    `${event.type} withheld${event.names.length > 0 ? `: ${namesText(event.names)}` : ''}${streamText(event)}`,
  ],
  'response.delayed': (event) => [
    '⏸',
    'script',
    `${event.type} response ${event.version} waits ${durationText(event.delayMs)}${streamText(event)}`,
  ],
  'response.dropped': (event) => [
    '⏸',
    'script',
    `${event.type} response ${event.version} dropped: counted as sent, never leaves${streamText(event)}`,
  ],
};

/** An ACK or NACK has an event of its own; the request that carried it says only what else it changed. */
function quietRequest(event: Of<'request.received'>): Told {
  const changes = [
    changeText('subscribes', event.names, event.variant === 'delta'),
    changeText('unsubscribes', event.unsubscribed, true),
  ].filter(Boolean);
  return [
    '→',
    'quiet',
    `${event.type} request, ${event.outcome}${changes.length > 0 ? `; ${changes.join('; ')}` : ''}${streamText(event)}`,
  ];
}

function changeText(verb: string, names: readonly string[], told: boolean): string {
  return told && names.length > 0 ? `${verb} ${namesText(names)}` : '';
}

function requestDetails(event: Of<'request.received'>): string {
  const asked = event.names.length > 0 ? ` for ${namesText(event.names)}` : '';
  const dropped = event.unsubscribed.length > 0 ? `, no longer ${namesText(event.unsubscribed)}` : '';
  const held =
    event.held.length > 0
      ? `, holding ${namesText(event.held)}`
      : event.version !== '' && event.outcome === 'initial'
        ? `, holding version ${event.version}`
        : '';
  return `${asked}${dropped}, ${event.outcome}${held}`;
}

function sentText(event: Of<'response.sent'>): string {
  const sent = event.names.length > 0 ? namesText(event.names) : 'empty';
  return event.removed.length > 0 ? `${sent}, removed ${namesText(event.removed)}` : sent;
}

function causeText(cause: Of<'response.sent'>['cause']): string {
  const causes = { reply: '', push: ' (push)', release: ' (released)', warming: ' (so that clusters can warm)', heartbeat: ' (heartbeat)' };
  return causes[cause];
}

/** `a, b, c and 7 more`. */
function namesText(names: readonly string[], shown = 3): string {
  if (names.length <= shown + 1) return names.map(shortened).join(', ');
  return `${names.slice(0, shown).map(shortened).join(', ')} and ${names.length - shown} more`;
}

function streamText(event: { readonly stream: number }): string {
  return ` [stream ${event.stream}]`;
}

/** The service that was called, if it is not ADS, without its package. */
function ofService({ service }: { readonly service?: string }): string {
  return service === undefined ? '' : `, of ${service.slice(service.lastIndexOf('.') + 1)}`;
}

const streamWords: WordsOf<'stream.opened' | 'stream.closed' | 'stream.refused' | 'connection.accepted' | 'handshake.failed'> = {
  'stream.opened': (event) => [
    '→',
    'in',
    `stream ${event.stream} opened: ${event.variant}, ${event.secure ? 'TLS' : 'plaintext'}, from ${event.peer}${ofService(event)}`,
  ],
  'stream.closed': (event) => [
    event.by === 'client' ? '→' : '←',
    event.code === 0 || event.by === 'client' ? 'quiet' : 'bad',
    `stream ${event.stream} closed by the ${event.by}: ${statusText(event)}`,
  ],
  'stream.refused': (event) => ['←', 'bad', `stream ${event.stream} refused: ${statusText(event)}`],
  'connection.accepted': (event) => ['·', 'quiet', `connection from ${event.peer} to port ${event.port}: ${event.protocol}`],
  'handshake.failed': (event) => ['✗', 'bad', `TLS handshake with ${event.peer} failed: ${event.reason}`],
};

function statusText({ code, text }: { readonly code: number; readonly text: string }): string {
  return text === '' ? `status ${code}` : `status ${code}, ${text}`;
}

const serverWords: WordsOf<
  | 'server.started'
  | 'server.stopped'
  | 'server.silenced'
  | 'server.failed'
  | 'snapshot.published'
  | 'content.failed'
  | 'reload.failed'
  | 'registry.ignored'
> = {
  'server.started': (event) => ['·', 'state', `istiod listens on ${event.addresses.join(' and ')}`],
  'server.stopped': () => ['·', 'state', 'istiod listens no more'],
  'server.silenced': (event) => ['·', 'state', event.silent ? 'istiod accepts connections and says nothing' : 'istiod answers again'],
  'server.failed': (event) => ['✗', 'bad', `istiod failed: ${event.reason}`],
  'registry.ignored': (event) => ['✗', 'bad', `istiod logs: ${event.text}`],
  'reload.failed': (event) => ['✗', 'bad', `what is served stays as it is: ${event.reason}`],
  'content.failed': (event) => ['✗', 'bad', `what depends on the node cannot be made for ${event.node}: ${event.reason}`],
  'snapshot.published': (event) => ['·', 'script', `published ${event.version}: ${publishedText(event)}`],
};

function publishedText(event: Of<'snapshot.published'>): string {
  const types = event.types.length > 0 ? event.types.join(', ') : 'no change';
  const set = event.names.length > 0 ? ` set ${namesText(event.names)}` : '';
  const removed = event.removed.length > 0 ? ` removed ${namesText(event.removed)}` : '';
  return `${types}${set}${removed}`;
}

/** The name of one of several, with a blank behind it. */
function nameText({ envoy }: { readonly envoy?: string }): string {
  return envoy === undefined ? '' : `${envoy} `;
}

const envoyWords: WordsOf<'envoy.started' | 'envoy.state-reached' | 'envoy.exited' | 'envoy.logged'> = {
  'envoy.started': (event) => [
    '●',
    'state',
    `Envoy ${nameText(event)}${event.version} runs${event.pid === undefined ? '' : `, pid ${event.pid}`}${event.admin === undefined ? '' : `, admin ${event.admin}`}`,
  ],
  'envoy.state-reached': (event) => ['●', 'state', `Envoy ${nameText(event)}is ${event.state}`],
  'envoy.exited': (event) => ['●', 'bad', `Envoy ${nameText(event)}${exitText(event)}`],
  'envoy.logged': (event) => [
    '·',
    event.level === 'warning' ? 'quiet' : 'bad',
    `Envoy ${nameText(event)}logs [${event.level}] ${event.text}`,
  ],
};

/** `exited with code 1`, `was ended by SIGKILL`. */
export function exitText({ code, signal }: { readonly code?: number | null; readonly signal?: string | null }): string {
  return signal ? `was ended by ${signal}` : `exited with code ${code ?? 'unknown'}`;
}

const otherWords: WordsOf<'step.fired' | 'moment.marked' | 'command.performed' | 'expectation.met' | 'expectation.failed'> = {
  'step.fired': (event) => ['▶', 'script', `step ${event.step}: ${event.sentence}`],
  'moment.marked': (event) => ['▶', 'quiet', `moment ${event.moment}`],
  'command.performed': (event) => ['▶', 'script', event.sentence],
  'expectation.met': (event) => ['✓', 'good', event.sentence],
  'expectation.failed': (event) => ['✗', 'bad', `${event.sentence} ${event.reason}`],
};

/** No event is without words: the compiler misses the one that is. */
const words: WordsOf<EventName> = { ...frameWords, ...streamWords, ...identityWords, ...serverWords, ...envoyWords, ...otherWords };
