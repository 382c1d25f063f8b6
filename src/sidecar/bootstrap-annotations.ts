import type { SourcePosition } from '../errors.ts';
import type { InjectedWorkload } from './workload.ts';

/** What annotations and labels of the pod do to the proxy and its bootstrap; `*` stands for any ending. In the order in which they are shown. */
const meanings: readonly (readonly [key: string, does: string])[] = [
  ['sidecar.istio.io/bootstrapOverride', "ConfigMap that is merged into Envoy's bootstrap"],
  ['proxy.istio.io/config', 'ProxyConfig of this pod, over the mesh config'],
  ['proxy.istio.io/overrides', 'what the user had set in the containers before injection'],
  ['inject.istio.io/templates', 'templates of the injector'],
  ['sidecar.istio.io/discoveryAddress', 'address of istiod'],
  ['status.sidecar.istio.io/port', "pilot-agent's status port; 0 switches the readiness probe off"],
  ['readiness.status.sidecar.istio.io/*', 'readiness probe'],
  ['sidecar.istio.io/statsInclusionPrefixes', 'stats that Envoy keeps besides'],
  ['sidecar.istio.io/statsInclusionSuffixes', 'stats that Envoy keeps besides'],
  ['sidecar.istio.io/statsInclusionRegexps', 'stats that Envoy keeps besides'],
  ['sidecar.istio.io/statsHistogramBuckets', "buckets of Envoy's histograms"],
  ['sidecar.istio.io/extraStatTags', 'tags of stats'],
  ['sidecar.istio.io/interceptionMode', 'how traffic comes to Envoy'],
  ['sidecar.istio.io/nativeSidecar', 'native sidecar or container'],
  ['sidecar.istio.io/logLevel', "Envoy's log level"],
  ['sidecar.istio.io/componentLogLevel', "Envoy's log levels by component"],
  ['sidecar.istio.io/agentLogLevel', "pilot-agent's log level"],
  ['sidecar.istio.io/proxyImage*', 'image'],
  ['sidecar.istio.io/controlPlaneAuthPolicy', 'TLS to the control plane (before 1.6)'],
  ['sidecar.istio.io/userVolume*', 'volumes of the proxy'],
  ['istio.io/rev', 'revision of the control plane'],
  ['topology.istio.io/locality', 'locality of the node'],
  ['istio-locality', 'locality of the node'],
  ['topology.istio.io/network', 'network of the pod'],
];

/** An annotation or label that changes the bootstrap, or the proxy around it. */
export interface BootstrapAnnotation {
  readonly kind: 'annotation' | 'label';
  readonly name: string;
  readonly value: string;
  /** What it is there for. */
  readonly does: string;
  readonly at: SourcePosition;
}

/** The annotations and labels of a workload's pod that change the bootstrap. */
export function bootstrapAnnotations({ pod, positionOf }: InjectedWorkload): readonly BootstrapAnnotation[] {
  return meanings.flatMap(([pattern, does]) =>
    (['annotation', 'label'] as const).flatMap((kind) =>
      Object.entries(pod[`${kind}s`])
        .filter(([name]) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
        .map(([name, value]) => ({ kind, name, value, does, at: positionOf([...pod.path, 'metadata', `${kind}s`, name]) })),
    ),
  );
}
