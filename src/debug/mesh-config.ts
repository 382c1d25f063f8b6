import type { DebuggedIstiod } from './face.ts';

/** `/debug/mesh`: the defaults of Istio's MeshConfig (istio pkg/config/mesh/mesh.go), with what this server and its mesh have of their own. */
export function meshConfig({ trustDomain, mesh }: DebuggedIstiod): Readonly<Record<string, unknown>> {
  const clusterLocal = (mesh?.services ?? []).filter((service) => service.clusterLocal).map(({ hostname }) => hostname);
  return {
    proxyListenPort: mesh?.outboundPort ?? 15_001,
    ...(mesh?.httpProxyPort === undefined ? {} : { proxyHttpPort: mesh.httpProxyPort }),
    connectTimeout: '10s',
    ingressClass: 'istio',
    ingressService: 'istio-ingressgateway',
    ingressControllerMode: 'STRICT',
    enableTracing: true,
    defaultConfig: {
      configPath: './etc/istio/proxy',
      binaryPath: '/usr/local/bin/envoy',
      serviceCluster: 'istio-proxy',
      drainDuration: '45s',
      discoveryAddress: 'istiod.istio-system.svc:15012',
      proxyAdminPort: 15_000,
      controlPlaneAuthPolicy: 'MUTUAL_TLS',
      statNameLength: 189,
      statusPort: 15_020,
      terminationDrainDuration: '5s',
    },
    outboundTrafficPolicy: { mode: 'ALLOW_ANY' },
    inboundTrafficPolicy: {},
    trustDomain,
    defaultServiceExportTo: ['*'],
    defaultVirtualServiceExportTo: ['*'],
    defaultDestinationRuleExportTo: ['*'],
    rootNamespace: 'istio-system',
    localityLbSetting: { enabled: true },
    dnsRefreshRate: '60s',
    ...(clusterLocal.length > 0 ? { serviceSettings: [{ settings: { clusterLocal: true }, hosts: clusterLocal }] } : {}),
    protocolDetectionTimeout: '0s',
    enableAutoMtls: mesh?.mtls ?? true,
    enablePrometheusMerge: true,
    proxyInboundListenPort: mesh?.inboundPort ?? 15_006,
    extensionProviders: [
      { name: 'prometheus', prometheus: {} },
      { name: 'stackdriver', stackdriver: {} },
      { name: 'envoy', envoyFileAccessLog: { path: '/dev/stdout' } },
    ],
    defaultProviders: {},
  };
}
