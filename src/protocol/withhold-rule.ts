import { matchesNode, type Node, type NodeMatcher } from './node.ts';

/** Which owed responses are not sent for now. */
export interface WithholdRule {
  readonly typeUrl: string;
  /** Only these resources are held back, the rest is sent. Left out: nothing of the type is sent. */
  readonly names?: readonly string[];
  readonly node?: NodeMatcher;
}

/** What the rules hold back of one type for one node: all of it, some names, or nothing. */
export type Withheld = 'all' | ReadonlySet<string>;

const nothing: ReadonlySet<string> = new Set();

/** What `rules` hold back of `typeUrl` for `node`. */
export function withheldOf(rules: readonly WithholdRule[], typeUrl: string, node: Node | undefined): Withheld {
  const matching = rules.filter((rule) => rule.typeUrl === typeUrl && matchesNode(rule.node, node));
  if (matching.length === 0) return nothing;
  if (matching.some((rule) => rule.names === undefined)) return 'all';
  return new Set(matching.flatMap((rule) => rule.names ?? []));
}
