import { isAlias, isMap, isScalar, isSeq, type Document, type Node, type Pair } from 'yaml';
import type { SourcePosition } from '../errors.ts';
import type { DocumentPath } from './document.ts';
import { pathText } from './document-path.ts';
import type { ParsedYaml } from './document-yaml.ts';

/** Where `path` stands in a parsed document, or its nearest ancestor that exists. */
export function yamlPosition(name: string, { document, lines }: ParsedYaml, path: DocumentPath, of: 'key' | 'value'): SourcePosition {
  let node = follow(document, document.contents);
  let offset = offsetOf(node) ?? 0;
  for (const [i, step] of path.entries()) {
    const child = childOf(document, node, step);
    if (!child) break;
    const wantsKey = of === 'key' && i === path.length - 1;
    const [first, second] = wantsKey ? [child.key, child.value] : [child.value, child.key];
    offset = offsetOf(first) ?? offsetOf(second) ?? offset;
    node = follow(document, child.value);
  }
  const { line, col } = lines.linePos(offset);
  return { file: name, line, column: col, ...(path.length > 0 ? { path: pathText(path) } : {}) };
}

/** The node at `path`, aliases followed; undefined if there is none. */
export function yamlNodeAt({ document }: ParsedYaml, path: DocumentPath): unknown {
  let node = follow(document, document.contents);
  for (const step of path) {
    const child = childOf(document, node, step);
    if (!child) return undefined;
    node = follow(document, child.value);
  }
  return node;
}

interface Child {
  readonly key?: unknown;
  readonly value?: unknown;
}

function childOf(document: Document, node: unknown, step: string | number): Child | undefined {
  if (isSeq(node)) return typeof step === 'number' && step < node.items.length ? { value: node.items[step] } : undefined;
  if (!isMap(node)) return undefined;
  const own = node.items.find((pair) => keyText(pair) === String(step));
  if (own) return own;
  for (const merged of mergedInto(document, node.items)) {
    const found = childOf(document, merged, step);
    if (found) return found;
  }
  return undefined;
}

/** The mappings that `<<` brings in. */
function mergedInto(document: Document, pairs: readonly Pair[]): readonly unknown[] {
  const sources = pairs.filter((pair) => keyText(pair) === '<<').map(({ value }) => follow(document, value));
  return sources.flatMap((source) => (isSeq(source) ? source.items.map((item) => follow(document, item)) : [source]));
}

function keyText({ key }: Pair): string {
  return isScalar(key) ? (key.source ?? String(key.value)) : String(key);
}

function follow(document: Document, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
