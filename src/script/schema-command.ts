import * as v from 'valibot';
import {
  count,
  described,
  durationForm,
  expecting,
  flag,
  form,
  listOf,
  namesForm,
  nodeForm,
  oneOf,
  text,
  typeForm,
  variantForm,
  wordOf,
} from './schema-parts.ts';
import { identityEntries } from './schema-identity.ts';
import { proxyCommandEntries } from './schema-proxy.ts';
import { servicesForm } from './schema-services.ts';
import { changeForm, removeForm } from './schema-serve.ts';

const streams = { node: v.optional(nodeForm), variant: v.optional(variantForm) };

const ruleMap = form('what is withheld', { type: typeForm, names: v.optional(namesForm), node: v.optional(nodeForm) });
const rule = oneOf('a type such as CDS, or a map with type, names and node', [text, ruleMap]);
export type RuleForm = v.InferOutput<typeof rule>;

/** One type, one rule, or several. */
export const rulesForm = oneOf('a type such as CDS, a map with type, names and node, or a list of these', [
  text,
  ruleMap,
  listOf(rule, 'types or maps'),
]);
export type RulesForm = v.InferOutput<typeof rulesForm>;

const codeWords = 'a gRPC status code: a number from 0 to 16 or a name such as UNAVAILABLE';
const codeNumber = v.pipe(
  v.number(),
  v.integer(expecting(codeWords)),
  v.minValue(0, expecting(codeWords)),
  v.maxValue(16, expecting(codeWords)),
);
const code = described(oneOf(codeWords, [text, codeNumber]), 'gRPC status code, by number or name; default 14, UNAVAILABLE');
const message = { message: v.optional(described(text, 'The status text, as the client will log it')) };
const closeForm = oneOf('a status code, or a map with code, message, node and variant', [
  code,
  form('a close command', { code: v.optional(code), ...message, ...streams }),
]);
const refuseForm = oneOf('a status code, or a map with code, message, times, node and variant', [
  code,
  form('a refuse command', {
    code: v.optional(code),
    ...message,
    times: v.optional(described(count, 'Only the next so many streams; left out: all until accept')),
    ...streams,
  }),
]);
export type CloseForm = v.InferOutput<typeof closeForm>;
export type RefuseForm = v.InferOutput<typeof refuseForm>;

const delayForm = form('a delay command', {
  type: typeForm,
  by: described(durationForm, 'How much later responses leave; 0s ends the delay'),
  ...streams,
});
const dropForm = oneOf('a type such as CDS, or a map with type, times, node and variant', [
  text,
  form('a drop command', { type: typeForm, times: v.optional(described(count, 'The next so many responses; default 1')), ...streams }),
]);

const only = <const W extends string>(word: W) => v.literal(word, expecting(`the word ${word}`));

const expireForm = form('an expire command', { certificate: described(durationForm, 'How soon it ends, to the full second after') });

/** One command; several keys in one map are carried out in the order written. */
export const commandForm = form('a command', {
  publish: v.optional(described(changeForm, 'Serves this from now on; the types given are replaced whole')),
  set: v.optional(described(changeForm, 'Adds or changes these resources; others of their type stay')),
  remove: v.optional(described(removeForm, 'Takes resources away, by name')),
  services: v.optional(described(servicesForm, 'The services of the mesh are now these')),
  heartbeats: v.optional(
    described(wordOf(['on', 'off']), 'off: resources with a ttl are not kept on, and run out; on: they are (default)'),
  ),
  withhold: v.optional(described(rulesForm, 'Owed responses of these types are not sent until released')),
  release: v.optional(described(rulesForm, 'Ends withholding; what is owed is computed anew and sent')),
  delay: v.optional(described(delayForm, 'Responses of a type leave later')),
  drop: v.optional(described(dropForm, 'The next responses of a type count as sent but never leave')),
  close: v.optional(described(closeForm, 'Ends open streams with a gRPC status')),
  refuse: v.optional(described(refuseForm, 'New streams end at once with a gRPC status')),
  accept: v.optional(described(only('streams'), 'Ends refuse: write accept: streams')),
  stop: v.optional(described(only('server'), 'Listening ends and every connection is cut: write stop: server')),
  start: v.optional(described(only('server'), 'Listens again on the same port, and answers: write start: server')),
  silence: v.optional(described(only('server'), 'The port accepts connections and never says a byte: write silence: server')),
  ready: v.optional(described(flag, 'false refuses streams as istiod does before its caches are full')),
  ...identityEntries,
  rotate: v.optional(described(only('root'), 'A new root signs from now on and every connection is cut: write rotate: root')),
  expire: v.optional(described(expireForm, 'New handshakes see a server certificate that ends so soon: write expire: { certificate: 2s }')),
  ...proxyCommandEntries,
  mark: v.optional(described(text, 'Marks a moment that steps and expectations can refer to')),
});
export type CommandForm = v.InferOutput<typeof commandForm>;

/** What a step does. */
export const commandsForm = oneOf('a command or a list of commands', [commandForm, listOf(commandForm, 'commands')]);
