import type { FakeIstiod } from '../fake-istiod.ts';
import type { Quirks } from '../protocol/quirks.ts';
import type { Mesh } from '../services/mesh.ts';

/** Somebody who asks, as it has proved. */
export interface KnownCaller {
  readonly namespace: string;
  /** `spiffe://cluster.local/ns/istio-system/sa/default` */
  readonly spiffeId: string;
}

/** What a caller of HTTP brings along, before anything of it is believed. */
export interface ShownCredentials {
  /** Address and port. */
  readonly peer: string;
  readonly authorization?: string;
  readonly clusterId?: string;
}

/** Clusters whose endpoints are read: the own one, and those with a remote secret. */
export interface ReadClusters {
  readonly own: string;
  readonly remote: readonly string[];
}

/** What has to be known of a fake istiod to tell how it stands. */
export interface DebuggedIstiod extends Pick<FakeIstiod, 'nodes' | 'sessions' | 'snapshot' | 'timeline'> {
  /** POD_NAME: what istiod calls itself in what it tells. */
  readonly podName: string;
  readonly quirks: Quirks;
  readonly trustDomain: string;
  readonly clusters: ReadClusters;
  /** The service mesh that is served; undefined if resources alone are. */
  readonly mesh: Mesh | undefined;
  /** False while an istiod of this state would say that it is not ready. */
  readonly ready: boolean;
  /** When the timeline began. */
  readonly startedAt: Date;
  /** Sends everything anew to everybody, and tells to how many streams. */
  pushAll(): number;
  /** Who a caller proves to be; undefined if nobody in particular. */
  identify(credentials: ShownCredentials): Promise<KnownCaller | undefined>;
}
