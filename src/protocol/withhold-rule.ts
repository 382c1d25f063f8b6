import { matchesNode, type Node, type NodeMatcher } from './node.ts';

/** Which owed responses are not sent for now. */
export interface WithholdRule {
  readonly typeUrl: string;
  /** Only these resources are held back, the rest is sent. Left out: nothing of the type is sent. */
  readonly names?: readonly string[];
  /** Of a rule without `names`: resources that are let through, because they were released since. */
  readonly except?: readonly string[];
  readonly node?: NodeMatcher;
}

/** What the rules hold back of one type for one node. */
export interface Withheld {
  /** `everything`: no response of the type is sent at all. */
  readonly extent: 'nothing' | 'some' | 'everything';
  holds(name: string): boolean;
}

const nothing: Withheld = { extent: 'nothing', holds: () => false };
const everything: Withheld = { extent: 'everything', holds: () => true };

function holds({ names, except }: WithholdRule, name: string): boolean {
  return names ? names.includes(name) : !except?.includes(name);
}

/** What `rules` hold back of `typeUrl` for `node`. */
export function withheldOf(rules: readonly WithholdRule[], typeUrl: string, node: Node | undefined): Withheld {
  const matching = rules.filter((rule) => rule.typeUrl === typeUrl && matchesNode(rule.node, node));
  if (matching.length === 0) return nothing;
  if (matching.some((rule) => !rule.names && !rule.except)) return everything;
  return { extent: 'some', holds: (name) => matching.some((rule) => holds(rule, name)) };
}

function sameNode(a: NodeMatcher | undefined, b: NodeMatcher | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** `rule` as it is after `names` were released from it; undefined if nothing of it is left. */
function without(rule: WithholdRule, names: readonly string[]): WithholdRule | undefined {
  if (!rule.names) return { ...rule, except: [...(rule.except ?? []), ...names] };
  const left = rule.names.filter((name) => !names.includes(name));
  return left.length > 0 ? { ...rule, names: left } : undefined;
}

/**
 * `rules` after a release: without names every rule of the type is lifted, with names only these are let through. A release for certain
 * nodes lifts the rules that were set for the same nodes.
 */
export function released(rules: readonly WithholdRule[], release: Pick<WithholdRule, 'typeUrl' | 'names' | 'node'>): readonly WithholdRule[] {
  return rules.flatMap((rule) => {
    if (rule.typeUrl !== release.typeUrl || (release.node && !sameNode(rule.node, release.node))) return [rule];
    const left = release.names ? without(rule, release.names) : undefined;
    return left ? [left] : [];
  });
}
