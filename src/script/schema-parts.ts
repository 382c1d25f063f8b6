import * as v from 'valibot';
import { durationPattern, durationTrouble } from './duration.ts';
import { nearestWord, wordRemedy } from './nearest.ts';

/*
 * Words that all parts of the scenario schema share. Messages are `what` and, after a line break, the remedy: findings.ts splits them.
 */

/** A value as an error names it: `"text"`, `5`, `NaN`, `a list`, `a map`, `nothing`. */
export function found(input: unknown): string {
  if (input === null || input === undefined) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object') return 'a map';
  // JSON has no NaN and no Infinity; YAML has.
  if (typeof input === 'bigint' || typeof input === 'number') return String(input);
  const text = JSON.stringify(input);
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}

/** The message `found …, expected …`. */
export function expecting(words: string, remedy?: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => `found ${found(input)}, expected ${words}${remedy ? `\n${remedy}` : ''}`;
}

/** A map with these keys and no others. `words` says what it is, e.g. `a step`. */
export function form<const E extends v.ObjectEntries>(words: string, entries: E) {
  const keys = Object.keys(entries);
  const map = `${words}, a map with ${someOf(keys)}`;
  const schema = v.strictObject(entries, (issue) => {
    const key = String(issue.path?.at(-1)?.key ?? '');
    if (issue.expected === 'never') return `unknown key ${JSON.stringify(key)} in ${words}\n${wordRemedy(key, keys)}`;
    if (issue.expected?.startsWith('"')) return `missing key ${issue.expected} in ${words}`;
    return expecting(map)(issue);
  });
  return noList(schema);
}

/** A map with any keys, whose values are `value`. `words` says what it is, e.g. `a map of labels`. */
export function mapOf<V extends v.GenericSchema>(value: V, words: string) {
  return noList(v.record(v.string(), value, expecting(words)));
}

/** @note To valibot a list is an object, too, whose keys are numbers, and an empty one a map without keys. */
function noList<S extends v.GenericSchema>(schema: S): S {
  const run: S['~run'] = schema['~run'].bind(schema);
  const refusing: S['~run'] = (dataset, config) => {
    if (!Array.isArray(dataset.value)) return run(dataset, config);
    v._addIssue(schema, 'type', dataset, config, { expected: 'Object' });
    return dataset as unknown as v.FailureDataset<v.InferIssue<S>>;
  };
  return Object.assign(schema, { '~run': refusing });
}

function someOf(keys: readonly string[]): string {
  const shown = keys.slice(0, 8);
  return `${shown.join(', ')}${keys.length > shown.length ? ' …' : ''}`;
}

/** One of several forms. The message is for what fits none of them; `near` are words that a text may have been meant to be. */
export function oneOf<const O extends v.UnionOptions>(words: string, options: O, near: readonly string[] = []) {
  return v.union(options, (issue) => `${expecting(words)(issue)}${suggestion(issue.input, near)}`);
}

/** The same with a description, which editors show. */
export function described<S extends v.GenericSchema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text));
}

export const text = v.string(expecting('text'));
export const flag = v.boolean(expecting('true or false'));
export const nothing = v.null(expecting('nothing'));
const positive = expecting('a whole number from 1');
export const count = v.pipe(v.number(positive), v.integer(positive), v.minValue(1, positive));

/** The message for what is no duration: what is wrong with it, if it has a unit. */
export function expectingDuration(words: string, remedy: string): (issue: v.BaseIssue<unknown>) => string {
  return (issue) => {
    const trouble = durationTrouble(issue.input);
    return trouble === undefined ? expecting(words, remedy)(issue) : `${found(issue.input)} ${trouble}\n${remedy}`;
  };
}

const duration = expectingDuration('a duration with its unit', 'Write it like 200ms, 2s or 1m');
/** `2s`, `200ms`, `1m`. */
export const durationForm = v.pipe(v.string(duration), v.regex(durationPattern, duration));

/** A list whose members are `item`. */
export function listOf<S extends v.GenericSchema>(item: S, words: string) {
  return v.array(item, expecting(`a list of ${words}`));
}

/** One word of these. */
export function wordOf<const W extends readonly string[]>(words: W) {
  return v.picklist(words, (issue) => `${expecting(words.join(' or '))(issue)}${suggestion(issue.input, words)}`);
}

function suggestion(input: unknown, words: readonly string[]): string {
  const near = typeof input === 'string' ? nearestWord(input, words) : undefined;
  return near === undefined ? '' : `\nDid you mean ${JSON.stringify(near)}?`;
}

export const variantForm = described(wordOf(['sotw', 'delta']), 'How xDS is spoken: sotw or delta');

const pattern = described(text, 'Compared as text; * stands for any characters');
const localityForm = form('a locality', { region: v.optional(pattern), zone: v.optional(pattern), subZone: v.optional(pattern) });

/** Which nodes are meant. */
export const nodeForm = described(
  form('a node matcher', {
    id: v.optional(described(text, 'node.id; * stands for any characters, e.g. sidecar~*')),
    cluster: v.optional(described(text, 'node.cluster')),
    metadata: v.optional(described(mapOf(text, 'a map of metadata keys and texts'), 'Keys of node.metadata, each compared as text')),
    locality: v.optional(described(localityForm, 'node.locality')),
  }),
  'Which nodes are meant: all given parts must hold. Left out: every node',
);

/** How one value is compared. */
export const matcherForm = described(
  oneOf('a text, a number, true or false', [v.string(), v.number(), v.boolean()]),
  'A plain value is equality; ">= 2", "< 3", "!= 0" compare numbers; /text/ is a regular expression; * stands for any characters; absent means not there at all',
);

export const typeForm = described(text, 'A resource type: CDS, EDS, LDS, RDS, SDS … or a type URL');
export const namesForm = described(listOf(text, 'resource names'), 'Only these resources');
export const momentForm = described(text, 'A moment: start, the name of a step, or one that a mark command names');
