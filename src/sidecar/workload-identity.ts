import type { DocumentPath } from '../protobuf/document.ts';

/** The service account token that proves to istiod who calls. */
export interface TokenVolume {
  /** Name of the volume. */
  readonly volume: string;
  /** Whom the token is for; undefined = the API server's own audience. */
  readonly audience?: string;
  /** Default of Kubernetes: 3600. */
  readonly expirationSeconds: number;
  /** File name within the mount. */
  readonly file: string;
  /** Where the proxy mounts it; undefined if it does not. */
  readonly mountPath?: string;
  readonly path: DocumentPath;
}

/** The root certificate that proves to the proxy that the other side is istiod. */
export interface CaVolume {
  readonly volume: string;
  /** Name of the ConfigMap; a Secret in old forms. */
  readonly object: string;
  readonly source: 'configMap' | 'secret' | 'clusterTrustBundle';
  readonly mountPath?: string;
  readonly path: DocumentPath;
}

/** How a workload proves its identity, and how it knows istiod. */
export interface WorkloadIdentity {
  readonly token?: TokenVolume;
  readonly ca?: CaVolume;
  /** `istio.<service account>` Secret of releases before 1.5, or certificates that the workload brings. */
  readonly certSecret?: { readonly volume: string; readonly secret: string; readonly mountPath?: string };
  /** Socket of an agent such as SPIRE that gives the certificate (CSI, host path, or only an emptyDir for pilot-agent's own). */
  readonly workloadSocket?: { readonly volume: string; readonly source: string; readonly mountPath: string };
}
