import * as v from 'valibot';
import { durationPattern } from './duration.ts';
import { eventEntries } from './schema-trigger.ts';
import {
  described,
  durationForm,
  expectingDuration,
  flag,
  form,
  listOf,
  mapOf,
  matcherForm,
  momentForm,
  oneOf,
  text,
  typeForm,
  variantForm,
  wordOf,
} from './schema-parts.ts';

/** Envoy's server states, as /server_info spells them. */
export const serverStates = ['PRE_INITIALIZING', 'INITIALIZING', 'LIVE', 'DRAINING'] as const;
const stateForm = wordOf(serverStates);

const matchers = mapOf(matcherForm, 'a map of names and what their values must be');
const names = listOf(text, 'resource names');

const configForm = form('facts of the config_dump', {
  type: typeForm,
  active: v.optional(described(names, 'Names that must be active')),
  warming: v.optional(described(names, 'Names that must be warming')),
  has: v.optional(described(names, 'Names that must be there, active or warming')),
  lacks: v.optional(described(names, 'Names that must not be there')),
  count: v.optional(described(matcherForm, 'How many there are')),
});
export type ConfigForm = v.InferOutput<typeof configForm>;

const httpForm = form('an HTTP request', {
  listener: described(text, 'Name of the listener; the port it is bound to is looked up'),
  path: v.optional(described(text, 'Default /')),
  headers: v.optional(described(mapOf(text, 'a map of headers and texts'), 'Headers to send')),
  status: v.optional(described(matcherForm, 'Status of the answer')),
  body: v.optional(described(matcherForm, 'Body of the answer')),
  refused: v.optional(described(flag, 'true: the connection must be refused')),
});
export type HttpForm = v.InferOutput<typeof httpForm>;

const readyForm = oneOf('a status code, or a map with code and body', [
  v.number(),
  form('what /ready answers', {
    code: v.optional(described(matcherForm, '200 or 503')),
    body: v.optional(described(matcherForm, 'LIVE, or the state it is in')),
  }),
]);
export type ReadyForm = v.InferOutput<typeof readyForm>;

const logForm = described(matcherForm, "A line of Envoy's log, white space normalised, e.g. /Unknown gRPC client cluster/");

const count = { count: v.optional(described(matcherForm, 'How many of them, e.g. 2 or ">= 2"')) };

/** What an expectation can look at besides events. */
export const subjectKeys = ['state', 'ready', 'stat', 'agent', 'config', 'dump', 'http', 'exit', 'log'] as const;

const spanPattern = new RegExp(`${durationPattern.source}|^until \\S.*$`);
const span = expectingDuration('a duration with its unit, or until and a moment', 'Write it like 2s or until release');
const spanForm = v.pipe(v.string(span), v.regex(spanPattern, span));

/** One expectation: what is looked at, when it must hold, in which runs. */
export const expectationForm = form('an expectation', {
  state: v.optional(
    described(
      oneOf(`one of ${serverStates.join(', ')}, or a list of these`, [stateForm, listOf(stateForm, 'states')], serverStates),
      "Envoy's state by /server_info",
    ),
  ),
  ready: v.optional(described(readyForm, '/ready; a number alone is the code')),
  stat: v.optional(described(matchers, 'Stats by name and what they must be; absent is not zero')),
  agent: v.optional(described(matcherForm, "pilot-agent's readiness rule: ready, or its reason")),
  config: v.optional(described(configForm, 'Which resources Envoy has, by /config_dump')),
  dump: v.optional(described(matchers, 'A dotted path into /config_dump (* is any member) and what must stand there')),
  http: v.optional(described(httpForm, 'An HTTP request to a listener')),
  exit: v.optional(described(matcherForm, "Envoy's process ends with this code")),
  log: v.optional(logForm),
  ...eventEntries(count, 'a number alone is count'),
  within: v.optional(described(durationForm, 'It comes true within this time; default 10s')),
  stays: v.optional(described(spanForm, 'Once true it stays true: for 2s, or until a moment')),
  never: v.optional(
    described(
      oneOf('true, a duration with its unit, or until and a moment', [v.literal(true), spanForm]),
      'It is never true: true (to the end), for 2s, or until a moment',
    ),
  ),
  after: v.optional(described(momentForm, 'Time counts from this moment; default start, when Envoy is launched')),
  variant: v.optional(described(variantForm, 'Only in runs of this variant')),
  envoy: v.optional(
    described(
      oneOf('the name of an Envoy, a range of versions, or a list of these', [text, listOf(text, 'names and ranges')]),
      'Of several Envoys the one of this name, or several; a range like ">=1.39" or ">=1.38 <1.40": only with these versions. ' +
        'Without a name what is looked at must hold for each of them, and an event may be of any',
    ),
  ),
  istiod: v.optional(described(text, 'An event of this one of several istiods; default: of any')),
  because: v.optional(described(text, 'Why this is expected; shown when it fails')),
});
export type ExpectationForm = v.InferOutput<typeof expectationForm>;
