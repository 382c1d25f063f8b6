import type { AuthWish } from '../auth/policy.ts';
import type { NodeMatcher } from '../protocol/node.ts';
import type { Resource } from '../protocol/resource.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { StreamMatcher, StreamSort } from '../protocol/stream-matcher.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { Mesh } from '../services/mesh.ts';
import type { NodeContent } from '../services/node-content.ts';
import type { ProxyCommand } from './proxy-identity.ts';

/**
 * How the server spoils TLS for everybody who comes from now on:
 * - `unknown-ca`: its certificate is from a root of the right name that nobody was told of;
 * - `wrong-san`: it names another server; `expired`, `not-yet-valid`: it is out of date;
 * - `no-alpn`: no protocol is agreed on, HTTP/2 is spoken all the same; `alpn-http1`: HTTP/1.1 alone is offered;
 * - `client-cert-demanded`: who shows no certificate of ours is sent away with an alert.
 */
export const tlsPresets = ['unknown-ca', 'wrong-san', 'expired', 'not-yet-valid', 'no-alpn', 'alpn-http1', 'client-cert-demanded'] as const;
export type TlsPreset = (typeof tlsPresets)[number];

/** What changes who gets in. Also what a scenario can begin with. */
export type IdentityCommand =
  /** Lays `wish` over the rules in force (istiod's own where nobody was asked before); `off`: from now on nobody is asked. */
  | { readonly kind: 'auth'; readonly wish: AuthWish | 'off' }
  /**
   * Closes the gate of one service: for the next `tries`, or until it is opened; for everybody, or for a `caller` alone (a node id at the
   * xDS gate, a SPIFFE id at the CA's; `*` stands for any characters). Open streams stay. `open` lifts all that closed it.
   */
  | {
      readonly kind: 'gate';
      readonly service: 'xds' | 'ca';
      readonly state: 'open' | 'closed';
      readonly tries?: number;
      readonly caller?: string;
    }
  /** So many new xDS streams in a second; absent: as many as come. */
  | { readonly kind: 'rate-limit'; readonly perSecond?: number }
  /** New handshakes are spoiled, or `ok` again, which also ends `expire-certificate`. Open connections stay. */
  | { readonly kind: 'tls'; readonly preset: TlsPreset | 'ok' }
  /** A new root signs from now on, and every connection is cut, so that clients come to see it. */
  | { readonly kind: 'rotate-root' }
  /** New handshakes see a certificate that ends then. Open connections stay, also afterwards. */
  | { readonly kind: 'expire-certificate'; readonly afterMs: number };

/** What a scenario, or a caller of the library, can make the server do. */
export type Command =
  | IdentityCommand
  | ProxyCommand
  | { readonly kind: 'publish'; readonly change: SnapshotChange; readonly layer?: number }
  /** The services of the mesh are now these. */
  | { readonly kind: 'services'; readonly mesh: Mesh }
  /** Resources with a lifetime are kept on (the default), or left to run out. */
  | { readonly kind: 'heartbeats'; readonly state: 'on' | 'off' }
  | { readonly kind: 'withhold'; readonly rules: readonly WithholdRule[] }
  /** Lifts every rule that these cover; a rule without names lifts all of its type. */
  | { readonly kind: 'release'; readonly rules: readonly WithholdRule[] }
  /** Responses of a type leave so much later; 0 ends the delay. */
  | { readonly kind: 'delay'; readonly typeUrl: string; readonly delayMs: number; readonly streams?: StreamSort }
  /** The next `count` responses of a type are counted as sent but never leave. */
  | { readonly kind: 'drop'; readonly typeUrl: string; readonly count: number; readonly streams?: StreamSort }
  /** Ends open streams with a gRPC status. */
  | { readonly kind: 'close'; readonly status: Status; readonly streams?: StreamMatcher }
  /** New streams end at once with a status: the next `count`, or all until `accept`. */
  | { readonly kind: 'refuse'; readonly status: Status; readonly count?: number; readonly streams?: StreamSort }
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
  /** What else is served, made for each node; `resources` of the same type and name take its place. */
  readonly content?: readonly NodeContent[];
}
