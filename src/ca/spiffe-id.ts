/** Who a workload is, as Istio names it: a service account of a namespace, in a trust domain. */
export interface SpiffeId {
  /** e.g. `cluster.local`; never empty. */
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The trust domain of a mesh that names none (istio pkg/config/constants). */
export const defaultTrustDomain = 'cluster.local';

const scheme = 'spiffe://';

/** `spiffe://cluster.local/ns/demo/sa/web`. */
export function formatSpiffeId({ trustDomain, namespace, serviceAccount }: SpiffeId): string {
  return `${scheme}${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** The identity in a URI of Istio's form, undefined for any other URI (istio pkg/spiffe). */
export function parseSpiffeId(uri: string): SpiffeId | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const [trustDomain, ns, namespace, sa, serviceAccount, ...rest] = uri.slice(scheme.length).split('/');
  if (ns !== 'ns' || sa !== 'sa' || rest.length > 0) return undefined;
  if (!trustDomain || !namespace || !serviceAccount) return undefined;
  return { trustDomain, namespace, serviceAccount };
}

/** The trust domain alone of any SPIFFE URI, also of one without a workload in it. */
export function trustDomainOf(uri: string): string | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  return uri.slice(scheme.length).split('/')[0] || undefined;
}
