/*
 * What a scenario's proxy proves itself with, as its file says it. The part of kubelet and pilot-agent, which is played for it.
 */

/** A service account. */
interface Account {
  /** Default `default`, as in the plain bootstrap. */
  readonly namespace?: string;
  /** Default `default`. */
  readonly serviceAccount?: string;
}

/** A service account token. */
export interface ProxyToken extends Account {
  /** Default `istio-ca` alone. */
  readonly audiences?: readonly string[];
  /** Default Kubernetes' own. */
  readonly issuer?: string;
  /** From when it is made, in milliseconds. Default an hour. */
  readonly ttlMs?: number;
  /** Its time was over an hour ago. */
  readonly expired?: boolean;
  /** `nobody`: `alg: none`; `stranger`: a key that the server does not know. Default `pki`: the server's own key. */
  readonly signedBy?: 'pki' | 'stranger' | 'nobody';
  /** The header `clusterid` that goes with it. Default: none. */
  readonly clusterId?: string;
}

/** A client certificate. */
export interface ProxyCertificate extends Account {
  /** Default: that of the server. */
  readonly trustDomain?: string;
  /** From when it is made, in milliseconds. Default a day. */
  readonly ttlMs?: number;
}

/** How Envoy speaks TLS with the server; it always trusts the root that the server begins with. */
export interface ProxyTls {
  /** Server name asked for. Default `istiod.istio-system.svc`. */
  readonly sni?: string;
  /** DNS name that the server's certificate must have; false accepts any. Default `sni`. */
  readonly subjectAltName?: string | false;
}

/** A certificate that the proxy's agent asks the CA for, over TLS. */
export interface CertificateRequest extends Account {
  /** What it shows. Default a token that the server should believe; false shows none. */
  readonly token?: ProxyToken | false;
  /** How long the certificate is to live, in milliseconds. Default a day. */
  readonly ttlMs?: number;
}

/** What the proxy's own side does. */
export type ProxyCommand =
  /** The token file is written anew. */
  | { readonly kind: 'write-token'; readonly token: ProxyToken }
  /** A CSR is sent to the CA; `certificate.received` or `certificate.refused` tells the answer. */
  | { readonly kind: 'request-certificate'; readonly request: CertificateRequest };
