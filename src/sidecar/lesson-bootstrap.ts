import { bootstrap, type Bootstrap, type BootstrapOptions } from '../envoy/bootstrap.ts';
import type { Json } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import { splitHostPort } from './go-text.ts';
import type { Origin, Origins } from './origin.ts';

export interface LessonBootstrapInput {
  /** `lesson` is what people write by hand, `lab` reconnects fast. */
  readonly shape: 'lesson' | 'lab';
  /** `discoveryAddress`. */
  readonly address: string;
  readonly addressOrigin: readonly Origin[];
  readonly nodeId: string;
  readonly nodeCluster: string;
  /** All that pilot-agent would know; four keys of it are taken. */
  readonly metadata: Readonly<Record<string, Json>>;
  readonly more?: Pick<BootstrapOptions, 'variant' | 'admin'>;
}

/** The metadata that a hand-written bootstrap has: what istiod needs to pick the proxy's configuration. */
export const lessonMetadata = ['CLUSTER_ID', 'MESH_ID', 'NAMESPACE', 'WORKLOAD_NAME'] as const;

/** The small bootstrap of the lesson, for an Envoy without pilot-agent: straight to istiod, with nothing but who the proxy is. */
export function lessonBootstrap(input: LessonBootstrapInput, origins: Origins): Bootstrap {
  const parts = splitHostPort(input.address);
  if (!parts || !/^\d+$/.test(parts.port)) {
    const at = input.addressOrigin.find((origin) => origin.at)?.at;
    throw FakeIstiodError.of('bootstrap.invalid', [
      {
        ...(at ? { at } : {}),
        what: `discoveryAddress is "${input.address}", no host:port`,
        remedy: 'Write it as istiod.istio-system.svc:15012',
      },
    ]);
  }
  const metadata = Object.fromEntries(lessonMetadata.map((key) => [key, input.metadata[key] ?? null]));
  const made = bootstrap({
    host: parts.host,
    port: Number(parts.port),
    shape: input.shape,
    node: { id: input.nodeId, cluster: input.nodeCluster, metadata },
    ...input.more,
  });
  origins.note([], { text: `the ${input.shape}'s bootstrap of fake-istiod` });
  const endpoint = ['static_resources', 'clusters', 'xds-grpc', 'load_assignment', 'endpoints', '0', 'lb_endpoints', '0', 'endpoint'];
  origins.note([...endpoint, 'address', 'socket_address'], ...input.addressOrigin);
  origins.note(['dynamic_resources', 'ads_config', 'api_type'], { text: '--variant' });
  return made;
}
