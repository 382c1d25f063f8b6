import type { LonelyEnvoy } from './lonely-envoy.ts';

export interface LabReport {
  readonly address: string;
  readonly cluster: string;
  readonly typoCode: number;
  readonly lonely: LonelyEnvoy;
}

/** `08-report.md`: four values out of the files before it, and four symptoms with their causes. */
export function reportText({ address, cluster, typoCode, lonely }: LabReport): string {
  return `xds_address=${address}
xds_cluster=${cluster}
typo_rc=${typoCode}
ready_without_istiod=${lonely.readyCode}

- istio-proxy restarts again and again (CrashLoopBackOff): Envoy refuses its bootstrap, here since ads_config names a cluster that is not there
- 1/2 Ready, /ready says 503 PRE_INITIALIZING, control_plane.connected_state is 0: nobody is reached at the discovery address
- 503 PRE_INITIALIZING, and control_plane.connected_state is 1: istiod is reached and owes the first clusters
- no certificate, and istiod says that authentication failed: the token is for another audience than istiod's, or has expired
- a service gets the endpoints of another cluster: two clusters say the same CLUSTER_ID, and istiod takes them for one
`;
}
