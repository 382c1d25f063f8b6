import * as v from 'valibot';
import { described, expecting, form, text, wordOf } from '../script/schema-parts.ts';

const whole = v.pipe(v.number(expecting('a whole number')), v.integer(expecting('a whole number')));
const serverStates = ['PRE_INITIALIZING', 'INITIALIZING', 'LIVE', 'DRAINING'] as const;
const named = <const W extends string>(word: W) => described(v.literal(word, expecting(`the name ${word}`)), 'The name of the event');

/** Of several Envoys the one of this name. */
const ofEnvoy = { envoy: v.optional(described(text, 'Of several Envoys the one of this name')) };

const forms = [
  form('envoy.started', { event: named('envoy.started'), ...ofEnvoy, version: text, pid: v.optional(whole), admin: v.optional(text) }),
  form('envoy.state-reached', { event: named('envoy.state-reached'), ...ofEnvoy, state: wordOf(serverStates) }),
  form('envoy.exited', { event: named('envoy.exited'), ...ofEnvoy, code: v.optional(whole), signal: v.optional(text) }),
  form('envoy.logged', { event: named('envoy.logged'), ...ofEnvoy, level: text, text }),
  form('expectation.met', { event: named('expectation.met'), index: whole, sentence: text }),
  form('expectation.failed', { event: named('expectation.failed'), index: whole, sentence: text, reason: text }),
] as const;

const names = forms.map(({ entries }) => entries.event);

/** What may be put into the timeline from outside: what is seen of the proxy, and what becomes of expectations. */
export const reportForm = v.variant('event', forms, (issue) =>
  expecting(
    `an event of the proxy's side: a map whose event is one of ${names.length}`,
    'Use envoy.state-reached, envoy.logged, expectation.met …',
  )(issue),
);
