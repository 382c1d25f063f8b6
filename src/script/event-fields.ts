import type { Event } from '../events.ts';
import type { ScriptableEvent } from './trigger.ts';

/** What a scenario file may say about one event. */
export interface EventWords {
  /** The field that a plain text stands for; `type` for everything that has one. */
  readonly shorthand?: string;
  /** Fields that can be compared, by the event's own names. */
  readonly fields: readonly string[];
  /** The event is about one resource type, said as `type`. */
  readonly typed?: boolean;
  /** The event may know its node, said as `node`. */
  readonly node?: boolean;
}

/** The event's own fields, without those that have a key of their own. */
type FieldOf<E extends ScriptableEvent> = Exclude<keyof Extract<Event, { event: E }>, 'event' | 'typeUrl' | 'type' | 'node' | 'envoy'>;
type WordsOf<E extends ScriptableEvent> = EventWords & { readonly fields: readonly FieldOf<E>[] };

const streamFields = ['stream', 'variant'] as const;
const ofType = { shorthand: 'type', typed: true, node: true } as const;

/** Every event that a scenario can wait for or expect, with the fields it has. */
export const eventWords: { readonly [E in ScriptableEvent]: WordsOf<E> } = {
  'server.started': { fields: ['addresses'] },
  'server.stopped': { fields: [] },
  'server.silenced': { fields: ['silent'] },
  'connection.accepted': { shorthand: 'protocol', fields: ['protocol', 'peer', 'port'] },
  'handshake.failed': { shorthand: 'reason', fields: ['reason', 'peer'] },
  'token.accepted': { shorthand: 'service', fields: ['service', 'identity', 'audiences', 'clusterId', 'peer'] },
  'token.rejected': { shorthand: 'service', fields: ['service', 'reason', 'audiences', 'wanted', 'peer'] },
  'certificate.accepted': { shorthand: 'service', fields: ['service', 'identity', 'peer'] },
  'identity.mismatched': { shorthand: 'identity', fields: ['service', 'identity', 'nodeId', 'text', 'peer'] },
  'caller.turned-away': { shorthand: 'service', fields: ['service', 'reason', 'peer'] },
  'certificate.signed': { shorthand: 'identity', fields: ['identity', 'notAfter', 'peer'] },
  'csr.rejected': { shorthand: 'reason', fields: ['reason', 'peer'] },
  'token.written': { shorthand: 'audiences', fields: ['audiences', 'notAfter'] },
  'certificate.received': { shorthand: 'identity', fields: ['identity', 'notAfter', 'chain'] },
  'certificate.refused': { shorthand: 'text', fields: ['code', 'text'] },
  'stream.opened': { shorthand: 'variant', fields: [...streamFields, 'peer', 'secure', 'service'] },
  'stream.refused': { shorthand: 'variant', fields: [...streamFields, 'peer', 'secure', 'code', 'text'] },
  'stream.closed': { shorthand: 'by', fields: [...streamFields, 'by', 'code', 'text'], node: true },
  'request.received': { ...ofType, fields: [...streamFields, 'outcome', 'names', 'unsubscribed', 'held', 'version', 'nonce'] },
  'response.sent': { ...ofType, fields: [...streamFields, 'cause', 'names', 'removed', 'version', 'nonce'] },
  'response.withheld': { ...ofType, fields: [...streamFields, 'names'] },
  'response.delayed': { ...ofType, fields: [...streamFields, 'delayMs', 'version', 'nonce'] },
  'response.dropped': { ...ofType, fields: [...streamFields, 'version', 'nonce'] },
  'response.acked': { ...ofType, fields: [...streamFields, 'version', 'nonce'] },
  'response.nacked': { ...ofType, fields: [...streamFields, 'text', 'code', 'version', 'nonce'] },
  'reload.failed': { shorthand: 'reason', fields: ['reason'] },
  'registry.ignored': { shorthand: 'cluster', fields: ['cluster', 'clusterId', 'text'] },
  'content.failed': { shorthand: 'reason', fields: ['reason'] },
  'snapshot.published': { shorthand: 'types', fields: ['types', 'names', 'removed', 'version', 'sequence'] },
  'envoy.started': { shorthand: 'version', fields: ['version', 'pid', 'admin'] },
  'envoy.state-reached': { shorthand: 'state', fields: ['state'] },
  'envoy.exited': { fields: ['code', 'signal'] },
  'envoy.logged': { shorthand: 'text', fields: ['text', 'level'] },
  'step.fired': { shorthand: 'step', fields: ['step'] },
  'moment.marked': { shorthand: 'moment', fields: ['moment'] },
};

/** True if such an event tells which Envoy it is about. */
export function tellsEnvoy(event: ScriptableEvent): boolean {
  const { node }: EventWords = eventWords[event];
  return node === true || event.startsWith('envoy.');
}

/** What each field says, for the JSON Schema and the docs. */
export const fieldWords: Readonly<Record<string, string>> = {
  addresses: 'An address listened on, as host:port',
  admin: "Address of Envoy's admin API",
  audiences: 'One of the audiences of the token; of token.rejected only where they are the trouble',
  by: 'Who ended the stream: client or server',
  cause: 'Why it was sent: reply, push, release or warming',
  cluster: 'The cluster, as mesh.clusters calls it',
  clusterId: 'The Kubernetes cluster that vouches for the token; of registry.ignored the id that is taken',
  chain: 'How many PEM texts the answer of the CA holds',
  code: 'A gRPC status code; of envoy.exited the exit code',
  delayMs: 'Milliseconds that the response waits',
  held: 'Delta: a name that the client brought along from an earlier stream',
  identity: 'A SPIFFE id: spiffe://<trust domain>/ns/<namespace>/sa/<service account>',
  level: 'Level of the log line',
  moment: 'Name of the moment',
  names: 'One of the resource names',
  nodeId: 'The node that the first request names',
  nonce: 'The nonce',
  notAfter: 'When the certificate or token ends, as RFC 3339',
  outcome: 'What the request says of our last response: initial, ack, nack, stale or spontaneous',
  peer: 'Address of the client',
  pid: 'Process id',
  port: 'Port connected to',
  protocol: 'tls, plaintext or silent',
  reason: 'Why the handshake failed, the caller was not believed or let in, or the request was no good',
  removed: 'One of the removed names',
  secure: 'Whether it came over TLS',
  sequence: 'Counts publishes',
  service: 'What the caller wanted, xds or ca; of a stream the gRPC service if it is not ADS',
  signal: 'The signal that ended Envoy',
  silent: 'True when the server falls silent, false when it answers again',
  state: 'PRE_INITIALIZING, INITIALIZING, LIVE or DRAINING',
  step: 'Name of the step',
  stream: 'Counts streams from 1 since the server started',
  text: 'What was said, white space normalised',
  types: 'One of the types that changed, e.g. CDS',
  unsubscribed: 'Delta: a name given up',
  variant: 'sotw or delta',
  wanted: 'One of the audiences that would have been taken',
  version: "The version; of envoy.started Envoy's",
};
