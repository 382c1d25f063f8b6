import type { SourcePosition } from '../errors.ts';
import type { Quirks } from '../protocol/quirks.ts';
import type { Variant } from '../protocol/request.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { Command, IdentityCommand, Layer } from './command.ts';
import type { Expectation } from './expectation.ts';
import type { ProxyCertificate, ProxyTls, ProxyToken } from './proxy-identity.ts';
import type { Trigger } from './trigger.ts';

/** A trigger and the commands it lets loose, once. Steps are independent of each other: each waits for its own trigger. */
export interface Step {
  /** Also the name of the moment at which it fired. Defaults to `step N`. */
  readonly name: string;
  readonly when: Trigger;
  readonly commands: readonly Command[];
  /** A step that never fires fails the run unless it is optional. */
  readonly optional: boolean;
  /** Only in runs of this variant. */
  readonly variant?: Variant;
  readonly at?: SourcePosition;
}

/** Who a proxy says it is; each part as in `BootstrapNode` of `envoy/`. */
export interface NodeWish {
  readonly id?: string;
  readonly ip?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly workloadName?: string;
  readonly clusterId?: string;
  readonly network?: string;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** How the scenario's bootstrap differs from the plain one. */
export interface BootstrapWish {
  readonly node?: NodeWish;
  /** Names of the istiods that are asked, the first one first; default all of the scenario. */
  readonly istiods?: readonly string[];
  /** `initial_fetch_timeout` of CDS and LDS, in milliseconds; 0 waits for ever, as Istio's does. Default 0. */
  readonly fetchTimeoutMs?: number;
  /** The cluster that `ads_config` names; the static cluster is always `xds-grpc`. */
  readonly adsCluster?: string;
  /** Envoy speaks TLS with the server. Default: plaintext. */
  readonly tls?: ProxyTls;
  /** Envoy shows this certificate; then `tls` is there, too. */
  readonly certificate?: ProxyCertificate;
  /** A token that goes with every stream, the same for ever. */
  readonly token?: ProxyToken;
  /** A token in a file that Envoy watches; never beside `token`. */
  readonly tokenFile?: ProxyToken;
  /** Merged over the bootstrap: objects deeply, lists replaced, null deletes. */
  readonly merge?: Readonly<Record<string, unknown>>;
}

/** One of several Envoys of a run. */
export interface ScenarioEnvoy {
  readonly name: string;
  /** As it is told by its node: the whole id. Two Envoys may have the same. */
  readonly nodeId: string;
  /** The scenario's own wishes with those of this Envoy laid over them. */
  readonly bootstrap: BootstrapWish;
  readonly args: readonly string[];
}

/** What an istiod serves, withholds and does by itself. */
export interface ServerScript {
  readonly layers: readonly Layer[];
  readonly withhold: readonly WithholdRule[];
  readonly istiod: {
    /** `down`: nothing listens; `silent`: ports accept and never answer. */
    readonly state: 'up' | 'down' | 'silent';
    /** Not ready: streams are refused as istiod does before its caches are full. */
    readonly ready: boolean;
    readonly quirks: Quirks;
  };
  /** Who is asked what, which gate is closed, how TLS is spoiled from the start. Left out: everybody is let in. */
  readonly identity?: readonly IdentityCommand[];
  readonly steps: readonly Step[];
}

/** One of several istiods of a run. */
export interface ScenarioIstiod extends ServerScript {
  readonly name: string;
}

/** A change to the scenario that must make it fail: proof that its expectations can tell the difference. */
export interface Mutation {
  /** What is broken, in English. */
  readonly what: string;
  /** JSON pointer (RFC 6901) into the scenario file → the new value; null takes the place away. */
  readonly replace: Readonly<Record<string, unknown>>;
}

/** A scenario file, read and checked. Frozen. What it says of the server is, of several, what the first one is told. */
export interface Scenario extends ServerScript {
  /** The file's name without its ending. */
  readonly name: string;
  /** One line: what happens. */
  readonly title: string;
  /** Why anyone would want to see it. */
  readonly about: string;
  readonly tags: readonly string[];
  /** Where it was read from; absent for one made in code. */
  readonly file?: string;
  /** Files with resources that it names, and that were read with it. */
  readonly alsoRead?: readonly string[];
  readonly bootstrap: BootstrapWish;
  /** Several Envoys; left out: one, without a name. */
  readonly envoys?: readonly ScenarioEnvoy[];
  /** Several istiods, the first of which is the one above; left out: that one, without a name. */
  readonly istiods?: readonly ScenarioIstiod[];
  readonly envoy: {
    /** Further arguments for the proxy. */
    readonly args: readonly string[];
    /** Runs only with these variants; default both. */
    readonly variants: readonly Variant[];
  };
  readonly expectations: readonly Expectation[];
  /** The run's bound; what is undecided then has failed. Default 30 s. */
  readonly timeoutMs: number;
  readonly mutation?: Mutation;
}
