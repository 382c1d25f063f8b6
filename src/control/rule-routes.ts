import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import type { Command } from '../script/command.ts';
import { commandSentence } from '../script/explain.ts';
import { statusNames } from '../script/status-code.ts';
import { commandForm, commandsForm, rulesForm } from '../script/schema-command.ts';
import { described, form, text, variantForm, wordOf } from '../script/schema-parts.ts';
import type { Rule, RuleCommand, RuleKind } from '../session/rule.ts';
import { performedAnswer, ruleAnswer, rulesAnswer } from './answer-forms.ts';
import { bodyCommands } from './body-command.ts';
import { nodePattern } from './query-forms.ts';
import { route, type RouteContext } from './route.ts';
import { writtenCommand } from './written-command.ts';

const kinds = [
  'withhold',
  'delay',
  'drop',
  'refuse',
  'gate',
  'rate-limit',
  'auth',
  'tls',
  'certificate',
  'server',
  'ready',
] as const satisfies readonly RuleKind[];
const kindQuery = v.optional(described(wordOf(kinds), 'Only rules of this kind'));
const ruleId = { id: described(text, 'The id of a rule, such as withhold-1 or tls') };

/** A rule as the API tells it. */
export function toldRule({ id, kind, sentence, command, left }: Rule) {
  return { id, kind, sentence, command: writtenCommand(command), ...(left === undefined ? {} : { left }) };
}

function performAll(commands: readonly Command[], { istiod }: RouteContext) {
  const rules = commands.flatMap((command) => istiod.perform(command)).map(toldRule);
  return { performed: commands.map(commandSentence), rules };
}

/** The one command of a body that is to be a rule. */
function ruleCommand(commands: readonly Command[]): RuleCommand {
  const [command] = commands;
  const isRule = command && (leavesRule as readonly string[]).includes(command.kind);
  if (commands.length === 1 && isRule) return command as RuleCommand;
  const what =
    commands.length === 1 && command ? `"${commandSentence(command)}" leaves nothing in force` : `there are ${commands.length} commands`;
  throw FakeIstiodError.of('request.invalid', [
    { at: { file: 'body' }, what, remedy: 'Give one command that leaves something in force; POST /commands takes all' },
  ]);
}

const leavesRule = [
  'withhold',
  'delay',
  'drop',
  'refuse',
  'gate',
  'rate-limit',
  'auth',
  'tls',
  'expire-certificate',
  'stop-server',
  'silence-server',
  'set-ready',
] as const satisfies readonly RuleCommand['kind'][];

const codeWords = described(wordOf(statusNames), 'gRPC status code by name; default UNAVAILABLE');

export const ruleRoutes = {
  perform: route({
    method: 'POST',
    path: '/commands',
    tag: 'Rules',
    summary: 'Carry out commands of a scenario',
    description:
      'One map or a list of them, in the words of scenario files: `{"withhold": "CDS"}`, `{"delay": {"type": "EDS", "by": "2s"}}`, `{"close": "UNAVAILABLE"}`, `{"gates": {"xds": "closed"}}`, `{"stop": "server"}`, `{"mark": "now"}`. They are carried out in the order written; if one is wrong, none is.',
    library: 'istiod.perform(command)',
    ctl: ['perform', 'delay', 'drop', 'refuse', 'accept', 'gate', 'tls', 'auth', 'rate-limit', 'rotate-root', 'expire-certificate', 'mark'],
    params: {},
    query: {},
    body: commandsForm,
    answer: performedAnswer,
    handle({ body }, context) {
      const maps = Array.isArray(body) ? body : [body];
      const commands = maps.flatMap((map, i) =>
        bodyCommands(map as v.InferOutput<typeof commandForm>, Array.isArray(body) ? [i] : [], context),
      );
      return performAll(commands, context);
    },
  }),
  withhold: route({
    method: 'POST',
    path: '/withhold',
    tag: 'Rules',
    summary: 'Withhold owed responses until they are released',
    library: 'istiod.withhold(type, options)',
    ctl: ['withhold'],
    params: {},
    query: {},
    body: rulesForm,
    answer: performedAnswer,
    handle: ({ body }, context) => performAll(ruleCommands('withhold', body, context), context),
  }),
  release: route({
    method: 'POST',
    path: '/release',
    tag: 'Rules',
    summary: 'Release what is withheld; it is computed anew and sent',
    library: 'istiod.release(type, options)',
    ctl: ['release'],
    params: {},
    query: {},
    body: rulesForm,
    answer: performedAnswer,
    handle: ({ body }, context) => performAll(ruleCommands('release', body, context), context),
  }),
  close: route({
    method: 'POST',
    path: '/close',
    tag: 'Rules',
    summary: 'End open streams with a gRPC status',
    description: 'Without a body: all of them. Clients may come back at once; `refuse` keeps them out.',
    library: 'istiod.close(streams, status)',
    ctl: ['close'],
    params: {},
    query: {},
    body: v.optional(
      form('what is closed', {
        code: v.optional(codeWords),
        message: v.optional(text),
        node: nodePattern,
        variant: v.optional(variantForm),
        stream: v.optional(described(v.pipe(v.number(), v.integer(), v.minValue(1)), 'One stream, by its number')),
      }),
    ),
    answer: v.strictObject({ closed: described(v.number(), 'How many streams were ended') }),
    handle({ body }, { istiod }) {
      const { code = 'UNAVAILABLE', message = 'closed by request', node, variant, stream } = body ?? {};
      const streams = {
        ...(node === undefined ? {} : { node: { id: node } }),
        ...(variant === undefined ? {} : { variant }),
        ...(stream === undefined ? {} : { stream }),
      };
      return { closed: istiod.close(streams, { code: statusNames.indexOf(code), message }) };
    },
  }),
  rules: route({
    method: 'GET',
    path: '/rules',
    tag: 'Rules',
    summary: 'List what is in force',
    library: 'istiod.rules',
    ctl: ['rules list'],
    params: {},
    query: { kind: kindQuery },
    answer: rulesAnswer,
    handle: ({ query: { kind } }, { istiod }) => ({
      rules: istiod.rules.filter((rule) => kind === undefined || rule.kind === kind).map(toldRule),
    }),
  }),
  addRule: route({
    method: 'POST',
    path: '/rules',
    tag: 'Rules',
    summary: 'Add a rule: one command that leaves something in force',
    library: 'istiod.perform(command)',
    ctl: ['rules add'],
    params: {},
    query: {},
    body: commandForm,
    answer: rulesAnswer,
    handle: ({ body }, context) => ({ rules: context.istiod.perform(ruleCommand(bodyCommands(body, [], context))).map(toldRule) }),
  }),
  removeRules: route({
    method: 'DELETE',
    path: '/rules',
    tag: 'Rules',
    summary: 'Remove all rules, or those of a kind',
    library: 'istiod.removeRule(id)',
    ctl: ['rules remove'],
    params: {},
    query: { kind: kindQuery },
    answer: v.strictObject({ removed: described(v.array(v.string()), 'Their ids') }),
    handle({ query: { kind } }, { istiod }) {
      const ids = istiod.rules.filter((rule) => kind === undefined || rule.kind === kind).map(({ id }) => id);
      for (const id of ids) istiod.removeRule(id);
      return { removed: ids };
    },
  }),
  rule: route({
    method: 'GET',
    path: '/rules/{id}',
    tag: 'Rules',
    summary: 'Tell one rule',
    library: 'istiod.rules',
    ctl: ['rules show'],
    params: ruleId,
    query: {},
    answer: ruleAnswer,
    errors: [404],
    handle: ({ params: { id } }, { istiod }) => toldRule(ruleOf(istiod.rules, id)),
  }),
  changeRule: route({
    method: 'PUT',
    path: '/rules/{id}',
    tag: 'Rules',
    summary: 'Put another command of the same kind in the place of a rule',
    library: 'istiod.changeRule(id, command)',
    ctl: ['rules change'],
    params: ruleId,
    query: {},
    body: commandForm,
    answer: ruleAnswer,
    errors: [404],
    handle({ params: { id }, body }, context) {
      ruleOf(context.istiod.rules, id);
      return toldRule(context.istiod.changeRule(id, ruleCommand(bodyCommands(body, [], context))));
    },
  }),
  removeRule: route({
    method: 'DELETE',
    path: '/rules/{id}',
    tag: 'Rules',
    summary: 'Remove a rule; what it withheld is computed anew and sent',
    library: 'istiod.removeRule(id)',
    ctl: ['rules remove'],
    params: ruleId,
    query: {},
    answer: v.strictObject({ removed: v.array(v.string()) }),
    errors: [404],
    handle({ params: { id } }, { istiod }) {
      istiod.removeRule(id);
      return { removed: [id] };
    },
  }),
  reset: route({
    method: 'POST',
    path: '/reset',
    tag: 'Rules',
    summary: 'Put everything back to how it began',
    description: 'What is served, the rules and the steps are those of the start of the scenario in play. Streams stay open.',
    library: 'istiod.reset()',
    ctl: ['reset'],
    params: {},
    query: {},
    answer: rulesAnswer,
    handle(_, { istiod }) {
      istiod.reset();
      return { rules: istiod.rules.map(toldRule) };
    },
  }),
};

function ruleOf(rules: readonly Rule[], id: string): Rule {
  const found = rules.find((rule) => rule.id === id);
  if (found) return found;
  throw new FakeIstiodError('rule.not-found', `there is no rule ${id}`, {
    remedy: rules.length > 0 ? `In force are ${rules.map((rule) => rule.id).join(', ')}` : 'Nothing is in force',
  });
}

/** The body stands for what follows the word in a scenario; its problems are told without that word. */
function ruleCommands(word: 'withhold' | 'release', body: unknown, context: RouteContext): readonly Command[] {
  return bodyCommands({ [word]: body }, [], { ...context, findings: context.findings.below(1) });
}
