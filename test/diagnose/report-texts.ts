import { statsText } from './given.ts';

/** A problem as people report it: what they have at hand, and what it is. Texts are ours; the reports are those of docs/diagnosis.md. */
export interface Report {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly kind: string;
  /** The first cause; undefined: none. */
  readonly first: string | undefined;
}

export const agentLine = (level: string, text: string): string => `2026-11-30T08:12:06.744881Z\t${level}\t${text}\n`;
export const envoyLine = (text: string, level = 'warning'): string =>
  `[2026-11-30 08:12:06.744][17][${level}][config] [external/envoy/source/x.h:1] ${text}\n`;
export const closed = (rest: string): string => envoyLine(`DeltaAggregatedResources gRPC config stream to xds-grpc closed${rest}`);
export const described = (state: string, events: string): string =>
  `Name:             payments-6d5f9\nNamespace:        default\nContainers:\n  app:\n    State:          Running\n    Ready:          True\n    Restart Count:  0\n  istio-proxy:\n${state}\nEvents:\n  Type     Reason     Age   From     Message\n  ----     ------     ----  ----     -------\n${events}\n`;
export const pod = (more: string, volumes: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: payments }\nspec:\n  template:\n    spec:\n${more}      containers:\n        - name: istio-proxy\n          args: [proxy, sidecar]\n          env: [{ name: JWT_POLICY, value: third-party-jwt }]\n          volumeMounts: [{ name: istio-token, mountPath: /var/run/secrets/tokens }]\n      volumes:\n${volumes}`;
export const tokenVolume = (audience: string): string =>
  `        - name: istio-token\n          projected: { sources: [{ serviceAccountToken: { audience: ${audience}, expirationSeconds: 43200, path: istio-token } }] }\n`;
export const live = 'LIVE';
export const rejectedStats = statsText({
  'cluster_manager.cds.update_success': 1,
  'cluster_manager.cds.update_rejected': 0,
  'listener_manager.lds.update_success': 0,
  'listener_manager.lds.update_rejected': 1,
});
