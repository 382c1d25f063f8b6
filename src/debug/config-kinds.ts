/** Kinds of Istio's configuration that istiod watches (istio pkg/config/schema/collections), `group/version: kinds`. */
const kinds: readonly (readonly [group: string, version: string, ...kinds: string[]])[] = [
  ['security.istio.io', 'v1', 'AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'],
  [
    'networking.istio.io',
    'v1',
    'DestinationRule',
    'Gateway',
    'ServiceEntry',
    'Sidecar',
    'VirtualService',
    'WorkloadEntry',
    'WorkloadGroup',
  ],
  ['networking.istio.io', 'v1alpha3', 'EnvoyFilter'],
  ['networking.istio.io', 'v1beta1', 'ProxyConfig'],
  ['telemetry.istio.io', 'v1', 'Telemetry'],
  ['extensions.istio.io', 'v1alpha1', 'TrafficExtension', 'WasmPlugin'],
];

/** `/debug/resourcesz`: what kinds of configuration istiod watches. This one watches none of them, but says so as istiod does. */
export function configKinds(): readonly Readonly<Record<'group' | 'version' | 'kind', string>>[] {
  return kinds
    .flatMap(([group, version, ...names]) => names.map((kind) => ({ group, version, kind })))
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
}
