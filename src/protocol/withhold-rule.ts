import { matchesNode, type Node, type NodeMatcher } from './node.ts';

/** What was released from a rule since it was set. */
interface Lift {
  /** Left out: all of it. */
  readonly names?: readonly string[];
  /** Left out: for every node. */
  readonly node?: NodeMatcher;
}

/** Which owed responses are not sent for now. */
export interface WithholdRule {
  /** By which it can be told from others; what a release leaves of it keeps it. */
  readonly id?: string;
  readonly typeUrl: string;
  /** Only these resources are held back, the rest is sent. Left out: nothing of the type is sent. */
  readonly names?: readonly string[];
  readonly node?: NodeMatcher;
  /** Parts of it that were released. */
  readonly lifted?: readonly Lift[];
}

/** What the rules hold back of one type for one node. */
export interface Withheld {
  /** `everything`: no response of the type is sent at all. */
  readonly extent: 'nothing' | 'some' | 'everything';
  holds(name: string): boolean;
}

const nothing: Withheld = { extent: 'nothing', holds: () => false };
const everything: Withheld = { extent: 'everything', holds: () => true };

/** One rule as it is for `node`: undefined if it does not concern it. */
function ruleFor({ names, node: matcher, lifted = [] }: WithholdRule, node: Node | undefined): Withheld | undefined {
  const lifts = lifted.filter((lift) => matchesNode(lift.node, node));
  if (!matchesNode(matcher, node) || lifts.some((lift) => !lift.names)) return undefined;
  if (!names && lifts.length === 0) return everything;
  const free = new Set(lifts.flatMap((lift) => lift.names ?? []));
  return { extent: 'some', holds: (name) => (!names || names.includes(name)) && !free.has(name) };
}

/** What `rules` hold back of `typeUrl` for `node`. */
export function withheldOf(rules: readonly WithholdRule[], typeUrl: string, node: Node | undefined): Withheld {
  if (rules.length === 0) return nothing;
  const found = rules.filter((rule) => rule.typeUrl === typeUrl).flatMap((rule) => ruleFor(rule, node) ?? []);
  if (found.length === 0) return nothing;
  if (found.some(({ extent }) => extent === 'everything')) return everything;
  return { extent: 'some', holds: (name) => found.some((rule) => rule.holds(name)) };
}

function sameNode(a: NodeMatcher | undefined, b: NodeMatcher | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** `rule` after a release of its type; undefined if nothing of it is left. */
function without(rule: WithholdRule, { names, node }: Lift): WithholdRule | undefined {
  const forAll = !node || sameNode(rule.node, node);
  if (forAll && !names) return undefined;
  if (!forAll || !rule.names)
    return { ...rule, lifted: [...(rule.lifted ?? []), { ...(names ? { names } : {}), ...(forAll ? {} : { node }) }] };
  const left = rule.names.filter((name) => !names?.includes(name));
  return left.length > 0 ? { ...rule, names: left } : undefined;
}

/**
 * `rules` after a release: without names everything of the type is let through, with names only these; with a node only for the
 * nodes it means, whoever the rules were set for.
 */
export function released(
  rules: readonly WithholdRule[],
  release: Pick<WithholdRule, 'typeUrl' | 'names' | 'node'>,
): readonly WithholdRule[] {
  return rules.flatMap((rule) => (rule.typeUrl === release.typeUrl ? (without(rule, release) ?? []) : [rule]));
}
