import { matchesNode, type Node, type NodeMatcher } from './node.ts';
import type { Variant } from './request.ts';

/** Which streams are meant, those among them that are not open yet; what is left out means all. */
export interface StreamSort {
  readonly node?: NodeMatcher;
  readonly variant?: Variant;
}

/** Which open streams are meant; what is left out means all. */
export interface StreamMatcher extends StreamSort {
  /** One open stream by its number, as events bear it. */
  readonly stream?: number;
}

/** True if a stream is one of those meant. A stream whose node is not known yet is no match for a node matcher. */
export function matchesStream(
  matcher: StreamMatcher | undefined,
  stream: { readonly variant: Variant; readonly node?: Node | undefined; readonly stream?: number },
): boolean {
  if (matcher?.variant && matcher.variant !== stream.variant) return false;
  if (matcher?.stream !== undefined && matcher.stream !== stream.stream) return false;
  return matchesNode(matcher?.node, stream.node);
}
