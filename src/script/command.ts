import type { NodeMatcher } from '../protocol/node.ts';
import type { Resource } from '../protocol/resource.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { StreamMatcher } from '../protocol/stream-matcher.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';

/** What a scenario, or a caller of the library, can make the server do. */
export type Command =
  | { readonly kind: 'publish'; readonly change: SnapshotChange; readonly layer?: number }
  | { readonly kind: 'withhold'; readonly rules: readonly WithholdRule[] }
  /** Lifts every rule that these cover; a rule without names lifts all of its type. */
  | { readonly kind: 'release'; readonly rules: readonly WithholdRule[] }
  /** Responses of a type leave so much later; 0 ends the delay. */
  | { readonly kind: 'delay'; readonly typeUrl: string; readonly delayMs: number; readonly streams?: StreamMatcher }
  /** The next `count` responses of a type are counted as sent but never leave. */
  | { readonly kind: 'drop'; readonly typeUrl: string; readonly count: number; readonly streams?: StreamMatcher }
  /** Ends open streams with a gRPC status. */
  | { readonly kind: 'close'; readonly status: Status; readonly streams?: StreamMatcher }
  /** New streams end at once with a status: the next `count`, or all until `accept`. */
  | { readonly kind: 'refuse'; readonly status: Status; readonly count?: number; readonly streams?: StreamMatcher }
  | { readonly kind: 'accept' }
  /** Listening ends and every connection is cut. */
  | { readonly kind: 'stop-server' }
  /** Listening (again) on the same ports, answering. Also ends `silence-server`. */
  | { readonly kind: 'start-server' }
  /** Ports accept connections and never say a byte; open ones are left without a word. */
  | { readonly kind: 'silence-server' }
  | { readonly kind: 'set-ready'; readonly ready: boolean }
  | { readonly kind: 'mark'; readonly moment: string };

/** What is served to nodes that match; a later layer's types replace an earlier one's. */
export interface Layer {
  /** Left out: every node. */
  readonly node?: NodeMatcher;
  readonly resources: readonly Resource[];
  /** Type URLs that this layer decides, those with no resource at all too. Left out: the types of its resources. */
  readonly types?: readonly string[];
}
