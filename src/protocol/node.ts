import type { Status } from './response.ts';

/** The client's identity, as its first request on a stream tells it (envoy.config.core.v3.Node). */
export interface Node {
  /** For Istio's proxies `<type>~<ip>~<pod>.<namespace>~<domain>`. */
  readonly id: string;
  readonly cluster: string;
  /** `node.metadata` as plain JSON. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  /** E.g. `envoy 1.40.0`, if the client says so. */
  readonly userAgent?: string;
}

/** Which nodes are meant. All given parts must hold; `*` in a string stands for any characters. */
export interface NodeMatcher {
  readonly id?: string;
  readonly cluster?: string;
  /** Each key must be there and its value (as text) match. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
}

const compiled = new Map<string, RegExp>();
/** Patterns come from scenarios, and from callers of the control API, who may think up any number. */
const keptPatterns = 1000;

/** True if `text` matches `pattern`, in which `*` stands for any characters. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
      's',
    );
    if (compiled.size >= keptPatterns) compiled.clear();
    compiled.set(pattern, expression);
  }
  return expression.test(text);
}

function matchesAll(
  wanted: Readonly<Record<string, string | undefined>> | undefined,
  found: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return Object.entries(wanted ?? {}).every(([key, pattern]) => {
    if (pattern === undefined) return true;
    const value = found?.[key];
    return value !== undefined && matchesPattern(pattern, typeof value === 'string' ? value : JSON.stringify(value));
  });
}

/** True if `node` is one of those `matcher` means. A matcher that is left out means every node. */
export function matchesNode(matcher: NodeMatcher | undefined, node: Node | undefined): boolean {
  if (!matcher) return true;
  if (!node) return false;
  const { id, cluster, metadata, locality } = matcher;
  return (
    matchesAll({ id, cluster }, { id: node.id, cluster: node.cluster }) &&
    matchesAll(metadata, node.metadata) &&
    matchesAll(locality, node.locality)
  );
}

/** How a stream ends whose first request does not say who asks (istio ads.go:initConnection). */
export const missingNode: Status = { code: 3, message: 'missing node information' };
