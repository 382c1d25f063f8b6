import { resourceJson } from '../../control/resource-json.ts';
import { bootstrap, type Bootstrap } from '../../envoy/bootstrap.ts';
import { isJsonObject, type JsonObject } from '../../envoy/json.ts';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { keyOfTypeUrl, typeUrlOfKey } from '../../protobuf/resource-kind.ts';
import { wishedBootstrap, wishOf } from '../../script/bootstrap-wish.ts';
import type { Scenario } from '../../script/scenario.ts';
import type { ServedNode } from '../../session/served-snapshot.ts';
import { servedFromTheStart } from '../../session/served-snapshot.ts';
import { servedInput } from '../served-input.ts';
import type { Terminal } from '../terminal.ts';
import { writeWarnings } from '../warning.ts';

export interface ExpandOptions {
  readonly nodeId?: string;
  readonly nodeCluster?: string;
  /** `KEY=VALUE` each. */
  readonly metadata?: readonly string[];
  readonly locality?: string;
  readonly type?: readonly string[];
  readonly json?: boolean;
  readonly maxInput: number;
}

/** `expand`. */
export async function expand(terminal: Terminal, inputs: readonly string[], options: ExpandOptions): Promise<ExitCode> {
  const { scenario, warnings } = await servedInput(inputs, options);
  writeWarnings(terminal.stderr, warnings);
  const wanted = options.type?.map(typeUrlOfWord);
  const content = await import('../../services/node-content.ts');
  const { types } = servedFromTheStart(scenario, nodeOf(scenario, options), content, terminal.clock);
  const shown = types.filter(({ typeUrl }) => !wanted || wanted.includes(typeUrl));
  const document = Object.fromEntries(
    shown.map(({ typeUrl, resources }) => [
      keyOfTypeUrl(typeUrl) ?? typeUrl,
      resources.map(({ name, value }) => resourceJson(typeUrl, name, value)),
    ]),
  );
  const text = options.json ? `${JSON.stringify(document, undefined, 2)}\n` : (await import('../yaml-text.ts')).yamlText(document);
  terminal.stdout.write(text);
  return ExitCode.ok;
}

function typeUrlOfWord(word: string): string {
  const found = typeUrlOfKey(word) ?? (word.includes('/') ? word : undefined);
  if (found) return found;
  throw new FakeIstiodError('usage.invalid', `--type: ${JSON.stringify(word)} is no resource type`, {
    remedy: 'Use CDS, EDS, LDS, RDS, SDS … or a type URL',
  });
}

/** The node of the bootstrap that the scenario makes, changed as asked for. */
function nodeOf(scenario: Scenario, { nodeId, nodeCluster, metadata = [], locality }: ExpandOptions): ServedNode {
  const made: Bootstrap = bootstrap(wishedBootstrap(wishOf(scenario)) as Parameters<typeof bootstrap>[0]);
  const node = objectAt(made, 'node');
  const [region, zone, subZone] = locality?.split('/') ?? [];
  const place = locality === undefined ? objectAt(node, 'locality') : { region, zone, subZone };
  return {
    id: nodeId ?? String(node['id'] ?? ''),
    cluster: nodeCluster ?? String(node['cluster'] ?? ''),
    metadata: { ...objectAt(node, 'metadata'), ...Object.fromEntries(metadata.map(keyAndValue)) },
    locality: Object.fromEntries(Object.entries(place).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []))),
  };
}

function objectAt(object: JsonObject, key: string): JsonObject {
  const found = object[key];
  return isJsonObject(found) ? found : {};
}

function keyAndValue(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new FakeIstiodError('usage.invalid', `--metadata: ${JSON.stringify(text)} has no key and value`, {
    remedy: 'Write --metadata CLUSTER_ID=east',
  });
}
