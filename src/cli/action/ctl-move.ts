import type { ControlClient } from '../../control/control-client.ts';
import { textTable } from '../text-table.ts';
import type { Answer } from './ctl.ts';

/** Whom a command is about. */
export interface Streams {
  readonly node?: string;
  readonly variant?: 'sotw' | 'delta';
}

interface ToldRule {
  readonly id: string;
  readonly sentence: string;
  readonly left?: number | undefined;
}

/** A rule's sentence tells how often it will still strike. */
function rulesText(rules: readonly ToldRule[]): string {
  return textTable(rules.map(({ id, sentence }) => [id, sentence]));
}

function withoutAbsent(parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** The streams of a command in the words of a scenario. */
export function streamWords({ node, variant }: Streams): Readonly<Record<string, unknown>> {
  return withoutAbsent({ node: node === undefined ? undefined : { id: node }, variant });
}

/** Commands in the words of a scenario: `{ withhold: 'CDS' }`, or such text. */
export async function perform(client: ControlClient, commands: Readonly<Record<string, unknown>> | string | Uint8Array): Promise<Answer> {
  const isText = typeof commands === 'string' || commands instanceof Uint8Array;
  const written = isText
    ? ({ text: commands, mediaType: 'application/yaml' } as const)
    : ({ text: JSON.stringify(commands), mediaType: 'application/json' } as const);
  const json = await client.call('POST /commands', { written });
  const made = json.rules.length > 0 ? [`in force: ${json.rules.map(({ id }) => id).join(', ')}`] : [];
  return { json, text: [...json.performed, ...made].join('\n') };
}

/** `ctl withhold`, `ctl release`. */
export function withholding(
  client: ControlClient,
  word: 'withhold' | 'release',
  types: readonly string[],
  { names, node }: { readonly names?: readonly string[]; readonly node?: string },
): Promise<Answer> {
  const rules = types.map((type) =>
    names || node !== undefined ? withoutAbsent({ type, names, ...streamWords({ ...(node === undefined ? {} : { node }) }) }) : type,
  );
  return perform(client, { [word]: rules });
}

/** `ctl close`. */
export async function close(
  client: ControlClient,
  query: Streams & { readonly stream?: number; readonly code?: string; readonly message?: string },
): Promise<Answer> {
  const { node, variant, stream, code, message } = query;
  const body = withoutAbsent({ node, variant, stream, code, message });
  const json = await client.call('POST /close', { written: { text: JSON.stringify(body), mediaType: 'application/json' } });
  return { json, text: `closed: ${json.closed} ${json.closed === 1 ? 'stream' : 'streams'}` };
}

/** `ctl rules list`. */
export async function listRules(client: ControlClient, kind: string | undefined): Promise<Answer> {
  const json = await client.call('GET /rules', { query: { kind: kind as never } });
  return { json, text: rulesText(json.rules) || 'nothing is in force' };
}

/** `ctl rules show`. */
export async function showRule(client: ControlClient, id: string): Promise<Answer> {
  const json = await client.call('GET /rules/{id}', { params: { id } });
  return { json, text: `${rulesText([json])}\n${JSON.stringify(json.command)}` };
}

/** `ctl rules add`. */
export async function addRule(client: ControlClient, text: string | Uint8Array): Promise<Answer> {
  const json = await client.call('POST /rules', { written: { text, mediaType: 'application/yaml' } });
  return { json, text: rulesText(json.rules) };
}

/** `ctl rules change`. */
export async function changeRule(client: ControlClient, id: string, text: string | Uint8Array): Promise<Answer> {
  const json = await client.call('PUT /rules/{id}', { params: { id }, written: { text, mediaType: 'application/yaml' } });
  return { json, text: rulesText([json]) };
}

/** `ctl rules remove`: those named, those of a kind, or all. */
export async function removeRules(client: ControlClient, ids: readonly string[], { kind }: { readonly kind?: string }): Promise<Answer> {
  const removed: string[] = [];
  for (const id of ids) removed.push(...(await client.call('DELETE /rules/{id}', { params: { id } })).removed);
  if (ids.length === 0) removed.push(...(await client.call('DELETE /rules', { query: { kind: kind as never } })).removed);
  return { json: { removed }, text: removed.length > 0 ? `removed: ${removed.join(', ')}` : 'nothing was in force' };
}

/** `ctl reset`. */
export async function reset(client: ControlClient): Promise<Answer> {
  const json = await client.call('POST /reset', {});
  return { json, text: ['begun anew', rulesText(json.rules)].filter(Boolean).join('\n') };
}

/** `ctl server`. */
export async function server(
  client: ControlClient,
  body: { readonly server?: 'up' | 'down' | 'silent'; readonly ready?: boolean },
): Promise<Answer> {
  const json = await client.call('PUT /server', { body });
  return { json, text: `server ${json.server}${json.ready ? '' : ', not ready'}` };
}
