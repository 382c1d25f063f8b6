import { optional } from './pod-template.ts';
import { envValue } from './read-env.ts';
import type { Flavour, ManifestForm, PodTemplate, ProxyContainer } from './workload.ts';
import { listAt, textAt } from './written-value.ts';

/** What of a container and its pod a sign is looked for in. */
interface Looked {
  readonly flavour: Flavour;
  readonly proxy: ProxyContainer;
  readonly pod: PodTemplate;
}

/** Something that injectors of certain minor releases wrote: `since` and `until` are minors of Istio 1. */
interface Sign {
  readonly what: string;
  readonly since?: number;
  readonly until?: number;
  readonly seen: (looked: Looked) => boolean;
  /** What its absence from a sidecar says: an injector before that. Only of what nobody takes away. */
  readonly absent?: string;
}

const flag =
  (name: string) =>
  ({ proxy }: Looked): boolean =>
    name in proxy.args.flags;
const env =
  (name: string) =>
  ({ proxy }: Looked): boolean =>
    proxy.env.some((entry) => entry.name === name);
const mount =
  (volume: string) =>
  ({ proxy }: Looked): boolean =>
    proxy.mounts.some((entry) => entry.volume === volume);
const ofSidecar =
  (seen: Sign['seen']): Sign['seen'] =>
  (looked) =>
    looked.flavour === 'sidecar' && seen(looked);

/** Newest last. From the injection templates of 1.0 to 1.31, as their own tests show them. */
const signs: readonly Sign[] = [
  { what: 'argument --discoveryRefreshDelay', until: 0, seen: flag('discoveryRefreshDelay') },
  { what: 'argument --discoveryAddress', until: 5, seen: flag('discoveryAddress') },
  { what: 'env ISTIO_META_POD_NAME', until: 5, seen: env('ISTIO_META_POD_NAME') },
  { what: 'env ISTIO_META_CLUSTER_ID', since: 3, seen: env('ISTIO_META_CLUSTER_ID') },
  { what: 'env SDS_ENABLED', since: 3, until: 4, seen: env('SDS_ENABLED') },
  { what: 'env CA_ADDR', since: 5, seen: env('CA_ADDR'), absent: 'no env CA_ADDR' },
  { what: 'argument --trust-domain', since: 5, until: 7, seen: flag('trust-domain') },
  { what: 'env JWT_POLICY', since: 5, seen: env('JWT_POLICY') },
  { what: 'env PROXY_CONFIG', since: 6, seen: env('PROXY_CONFIG'), absent: 'no env PROXY_CONFIG' },
  { what: 'volume istio-data', since: 7, seen: mount('istio-data'), absent: 'no volume istio-data' },
  { what: 'env DNS_AGENT', since: 7, until: 8, seen: env('DNS_AGENT') },
  { what: 'env CANONICAL_SERVICE', since: 7, until: 10, seen: env('CANONICAL_SERVICE') },
  { what: 'env TRUST_DOMAIN', since: 8, seen: env('TRUST_DOMAIN'), absent: 'no env TRUST_DOMAIN' },
  { what: 'argument --serviceCluster of a sidecar', until: 10, seen: ofSidecar(flag('serviceCluster')) },
  { what: 'volume workload-socket', since: 14, seen: mount('workload-socket'), absent: 'no volume workload-socket' },
  { what: 'volume credential-socket', since: 15, seen: mount('credential-socket') },
  { what: 'argument --concurrency', until: 17, seen: flag('concurrency') },
  { what: 'env ISTIO_META_NODE_NAME', since: 17, seen: env('ISTIO_META_NODE_NAME'), absent: 'no env ISTIO_META_NODE_NAME' },
  { what: 'env ISTIO_CPU_LIMIT', since: 18, seen: env('ISTIO_CPU_LIMIT') },
  { what: 'env GOMEMLIMIT', since: 19, seen: env('GOMEMLIMIT') },
  { what: 'istio-proxy in initContainers', since: 19, seen: ofSidecar(({ proxy }) => proxy.native) },
  { what: 'volume istio-ca-crl', since: 27, seen: mount('istio-ca-crl') },
];

/** The newest release whose forms these are. */
const newest = 31;
/** The oldest whose arguments pilot-agent of today takes all. */
const oldestCurrent = 18;

/** Which releases write a container like this one. What people change by hand may contradict the rest: then the newer sign counts. */
export function manifestForm(looked: Looked): ManifestForm {
  const seen = signs.filter((sign) => sign.seen(looked));
  const missing =
    looked.flavour === 'sidecar' ? signs.filter((sign) => sign.absent !== undefined && sign.since !== undefined && !sign.seen(looked)) : [];
  const since = Math.max(0, ...seen.map((sign) => sign.since ?? 0));
  const limits = [
    ...seen.map((sign) => ({ until: sign.until ?? newest, what: sign.what })),
    ...missing.map((sign) => ({ until: (sign.since ?? 0) - 1, what: sign.absent ?? '' })),
  ].filter(({ until }) => until >= since);
  const until = Math.min(newest, ...limits.map((limit) => limit.until));
  const upper = limits.find((limit) => limit.until === until && until < newest)?.what;
  const lower = seen.find((sign) => sign.since === since && since > 0)?.what;
  const imageRelease = releaseOf(looked.proxy.image);
  return {
    since: `1.${since}`,
    ...optional('until', until < newest ? `1.${until}` : undefined),
    signs: [lower, upper].filter((sign) => sign !== undefined),
    ...optional('imageRelease', imageRelease),
    current: until >= oldestCurrent,
  };
}

/** The release in an image's tag: `istio/proxyv2:1.26.0-distroless`. */
function releaseOf(image: string | undefined): string | undefined {
  return /(?:proxyv2|proxy_init|proxy|pilot)[^/:]*:v?(\d+\.\d+(?:\.\d+)?)(?:[-@.]|$)/.exec(image ?? '')?.[1];
}

/** `Istio 1.5 to 1.7`, `Istio 1.27 or later`. */
export function formText({ since, until }: ManifestForm): string {
  if (until === undefined) return `Istio ${since} or later`;
  return since === until ? `Istio ${since}` : since === '1.0' ? `Istio ${until} or before` : `Istio ${since} to ${until}`;
}

/** What it is that runs pilot-agent. */
export function flavourOf(proxy: ProxyContainer, pod: PodTemplate): Flavour {
  if (envValue(proxy.env, 'ISTIO_META_GENERATOR') === 'grpc' || envValue(proxy.env, 'DISABLE_ENVOY') === 'true') return 'proxyless-grpc';
  if (proxy.args.role === 'waypoint') return 'waypoint';
  if (proxy.args.role === 'router' || proxy.args.role === 'ingress') return 'gateway';
  const templates = pod.annotations['inject.istio.io/templates'] ?? '';
  const isGateway = templates.split(',').includes('gateway') || listAt(pod.spec, 'containers').length === 0;
  return isGateway && textAt(proxy.args.raw[0]) === undefined ? 'gateway' : 'sidecar';
}
