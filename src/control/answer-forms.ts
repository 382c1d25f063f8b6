import * as v from 'valibot';
import { described } from '../script/schema-parts.ts';

/*
 * What the API answers with. Strict, so that the tests see a field that is not declared.
 */

const texts = v.array(v.string());
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const ms = described(v.number(), 'Milliseconds since the timeline began');
const short = described(v.string(), 'The short name, e.g. CDS');
const variant = v.picklist(['sotw', 'delta']);
/** JSON of a kind that is not ours to describe. */
export const anyObject = v.record(v.string(), v.unknown());

/** A rule in force. */
export const ruleAnswer = v.strictObject({
  id: described(v.string(), 'Stays the same as long as the rule is in force: withhold-1; of what there is only one of, its kind'),
  kind: v.string(),
  sentence: described(v.string(), 'In English, in the imperative'),
  command: described(anyObject, 'What would bring it about as it stands now, in the words of a scenario'),
  left: v.optional(described(whole, 'How often it will still strike; absent where it does until it is removed')),
});

export const rulesAnswer = v.strictObject({ rules: v.array(ruleAnswer) });

/** What commands did. */
export const performedAnswer = v.strictObject({
  performed: described(texts, 'Each command in English'),
  rules: described(v.array(ruleAnswer), 'What they left in force'),
});

const locality = v.strictObject({ region: v.optional(v.string()), zone: v.optional(v.string()), subZone: v.optional(v.string()) });
const versionAndNonce = v.strictObject({ version: v.string(), nonce: v.string() });

const identity = v.strictObject({
  spiffeId: v.string(),
  by: v.picklist(['client certificate', 'token']),
  clusterId: v.optional(v.string()),
});

const nodeStream = v.strictObject({
  stream: whole,
  variant,
  service: v.optional(v.string()),
  peer: v.string(),
  secure: v.boolean(),
  openedAtMs: ms,
  identity: v.optional(identity),
});

const syncWords = ['not requested', 'not sent', 'withheld', 'sent', 'acked', 'nacked'] as const;
const counts = v.strictObject({ requests: whole, responses: whole, acks: whole, nacks: whole, withheld: whole });

const typeEntries = {
  typeUrl: v.string(),
  type: short,
  stream: whole,
  wildcard: v.picklist(['no', 'legacy', 'explicit']),
  names: described(texts, 'Names subscribed to, beside the wildcard if there is one'),
  sync: described(v.picklist(syncWords), 'With regard to what the node is served now'),
  sent: v.optional(versionAndNonce),
  acked: v.optional(versionAndNonce),
  nacked: v.optional(v.strictObject({ text: v.string() })),
  withheld: v.optional(described(v.union([v.literal('all'), texts]), 'What is owed and withheld: the whole response, or these names')),
  counts,
};

/** A node and all that is known of it. */
export const nodeAnswer = v.strictObject({
  id: v.string(),
  cluster: v.string(),
  metadata: anyObject,
  locality: v.optional(locality),
  userAgent: v.optional(v.string()),
  connected: v.boolean(),
  leftAtMs: v.optional(ms),
  streams: v.array(nodeStream),
  types: v.array(v.strictObject(typeEntries)),
});
export const nodesAnswer = v.strictObject({ nodes: v.array(nodeAnswer) });

/** One type of one node a line. */
export const subscriptionsAnswer = v.strictObject({
  subscriptions: v.array(v.strictObject({ node: v.string(), connected: v.boolean(), ...typeEntries })),
});

/** What is served, without the resources' content. */
export const snapshotAnswer = v.strictObject({
  node: v.optional(v.string()),
  version: v.string(),
  sequence: whole,
  types: v.array(
    v.strictObject({
      typeUrl: v.string(),
      type: short,
      resources: v.array(v.strictObject({ name: v.string(), version: v.optional(v.string()), bytes: whole })),
    }),
  ),
});

/** A resource with its content. */
export const resourceAnswer = v.strictObject({
  name: v.string(),
  version: v.optional(v.string()),
  bytes: whole,
  resource: described(anyObject, 'As JSON with @type; as { typeUrl, name, base64 } where its type is unknown or its bytes are not of it'),
});

export const resourcesAnswer = v.strictObject({
  node: v.optional(v.string()),
  version: v.string(),
  typeUrl: v.string(),
  type: short,
  resources: v.array(resourceAnswer),
});

/** What a publish did. */
export const pushAnswer = v.strictObject({
  version: v.string(),
  sequence: whole,
  types: described(texts, 'Types whose content it changed, e.g. CDS; empty if everything was as before'),
});

/** A step of the scenario in play. */
export const stepAnswer = v.strictObject({
  name: v.string(),
  sentence: v.string(),
  optional: v.boolean(),
  state: v.picklist(['waiting', 'fired', 'never fired']),
  firedAtMs: v.optional(ms),
  waitsFor: v.optional(v.string()),
});

const unfired = v.strictObject({ step: v.string(), sentence: v.string() });

export const scenarioAnswer = v.strictObject({
  name: v.string(),
  title: v.string(),
  file: v.optional(v.string()),
  steps: v.array(stepAnswer),
  neverFired: described(v.array(unfired), 'Steps that should have fired and have not, and what they wait for'),
});

/** The server at one instant. */
export const stateAnswer = v.strictObject({
  server: described(v.picklist(['up', 'down', 'silent']), 'down: nothing listens; silent: the port accepts and never answers'),
  ready: described(v.boolean(), 'false: streams are refused, as by an istiod whose caches are not full'),
  xdsAddress: described(v.string(), 'host:port for clients on the same machine'),
  plaintextPort: v.optional(whole),
  scenario: v.optional(v.string()),
  nodes: described(whole, 'Connected ones'),
  streams: described(whole, 'Open ones'),
  version: v.string(),
  rules: described(texts, 'Ids of the rules in force'),
  neverFired: v.array(unfired),
  nowMs: ms,
  newestSeq: described(whole, 'seq of the newest event; 0 if there is none'),
});

/** An event of the timeline; docs/reference/events.md has all their fields. */
export const eventAnswer = v.pipe(
  v.looseObject({ event: v.string(), seq: whole, atMs: v.number() }),
  v.description('An event; its other fields are those of its name'),
);
export const eventsAnswer = v.strictObject({
  events: v.array(eventAnswer),
  dropped: described(whole, 'How many of the oldest events are no longer kept'),
  newestSeq: whole,
});

const frameEntries = {
  seq: whole,
  atMs: ms,
  stream: whole,
  variant,
  node: v.optional(v.string()),
  typeUrl: v.string(),
  type: short,
  version: v.string(),
  nonce: v.string(),
  names: texts,
  removed: texts,
  size: v.optional(whole),
  direction: v.picklist(['in', 'out']),
  outcome: v.optional(v.picklist(['initial', 'ack', 'nack', 'stale', 'spontaneous'])),
  held: v.optional(texts),
  errorDetail: v.optional(v.strictObject({ code: v.number(), message: v.string() })),
  cause: v.optional(v.string()),
};

/** A request or response of the journal. */
export const framesAnswer = v.strictObject({ frames: v.array(v.strictObject(frameEntries)), dropped: whole });
export const frameAnswer = v.strictObject({
  ...frameEntries,
  message: v.optional(described(anyObject, 'The message as JSON; absent if its bytes are no longer kept')),
});
