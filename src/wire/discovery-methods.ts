import type { Variant } from '../protocol/request.ts';
import { TypeUrl } from '../protocol/resource-type.ts';
import { deltaCodec } from './delta-codec.ts';
import type { DiscoveryCodec } from './discovery-codec.ts';
import { sotwCodec } from './sotw-codec.ts';

/** The service that Envoy's ADS calls. */
export const aggregatedDiscoveryService = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

/** A method that speaks xDS. */
export interface DiscoveryMethod {
  readonly path: string;
  readonly variant: Variant;
  readonly codec: DiscoveryCodec;
  /** The one type of a single-type service: a request need not name it, and may name no other. Undefined for ADS. */
  readonly typeUrl?: string;
  /** Unary: the call ends with the first response. */
  readonly once?: boolean;
}

/** A single-type service: the word in its method names, and which of the three methods its .proto declares. */
interface SingleType {
  readonly service: string;
  readonly word: string;
  readonly typeUrl: string;
  readonly methods: readonly ('Stream' | 'Delta' | 'Fetch')[];
}

const all = ['Stream', 'Delta', 'Fetch'] as const;

/** The discovery services of the Envoy API beside ADS (envoy/service/<kind>/v3). istiod has none of them; other control planes do. */
const singleTypes: readonly SingleType[] = [
  { service: 'envoy.service.cluster.v3.ClusterDiscoveryService', word: 'Clusters', typeUrl: TypeUrl.cluster, methods: all },
  { service: 'envoy.service.endpoint.v3.EndpointDiscoveryService', word: 'Endpoints', typeUrl: TypeUrl.endpoint, methods: all },
  { service: 'envoy.service.listener.v3.ListenerDiscoveryService', word: 'Listeners', typeUrl: TypeUrl.listener, methods: all },
  { service: 'envoy.service.route.v3.RouteDiscoveryService', word: 'Routes', typeUrl: TypeUrl.route, methods: all },
  { service: 'envoy.service.route.v3.ScopedRoutesDiscoveryService', word: 'ScopedRoutes', typeUrl: TypeUrl.scopedRoute, methods: all },
  { service: 'envoy.service.route.v3.VirtualHostDiscoveryService', word: 'VirtualHosts', typeUrl: TypeUrl.virtualHost, methods: ['Delta'] },
  { service: 'envoy.service.secret.v3.SecretDiscoveryService', word: 'Secrets', typeUrl: TypeUrl.secret, methods: all },
  {
    service: 'envoy.service.extension.v3.ExtensionConfigDiscoveryService',
    word: 'ExtensionConfigs',
    typeUrl: TypeUrl.extensionConfig,
    methods: all,
  },
  { service: 'envoy.service.runtime.v3.RuntimeDiscoveryService', word: 'Runtime', typeUrl: TypeUrl.runtime, methods: all },
];

function methodsOf({ service, word, typeUrl, methods }: SingleType): readonly DiscoveryMethod[] {
  return methods.map((kind) => ({
    path: `/${service}/${kind}${word}`,
    typeUrl,
    ...(kind === 'Delta' ? { variant: 'delta', codec: deltaCodec } : { variant: 'sotw', codec: sotwCodec }),
    ...(kind === 'Fetch' ? { once: true } : {}),
  }));
}

/** All methods that speak xDS: the aggregated service first. */
export const discoveryMethods: readonly DiscoveryMethod[] = [
  { path: `/${aggregatedDiscoveryService}/StreamAggregatedResources`, variant: 'sotw', codec: sotwCodec },
  { path: `/${aggregatedDiscoveryService}/DeltaAggregatedResources`, variant: 'delta', codec: deltaCodec },
  ...singleTypes.flatMap(methodsOf),
];
