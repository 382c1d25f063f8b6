import { join } from 'node:path';
import { isJsonObject, type Bootstrap, type Json, type JsonObject } from '../envoy/index.ts';
import type { PositionOf } from '../protobuf/document.ts';
import type { Told } from '../sidecar/origin.ts';
import { pilotAgentBootstrap } from '../sidecar/pilot-agent-bootstrap.ts';
import type { MergedProxyConfig } from '../sidecar/proxy-config.ts';
import type { Release } from '../sidecar/release-line.ts';
import type { InjectedWorkload } from '../sidecar/workload.ts';
import type { BootstrapPlace } from './options.ts';

/** What pilot-agent would make its bootstrap of in this pod. */
export interface PodBootstrapOptions {
  /** The environment, `ISTIO_META_*` among it. */
  readonly env: ReadonlyMap<string, string>;
  readonly role: string;
  /** Flags of `pilot-agent proxy`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly proxyConfig: MergedProxyConfig;
  /** Of which release the bootstrap is. */
  readonly release: Release;
  /** Addresses of the pod's interfaces; INSTANCE_IP goes before them. */
  readonly ips: readonly string[];
  /** `lab` reconnects fast. */
  readonly shape: 'pilot-agent' | 'lab';
}

/**
 * The bootstrap that pilot-agent writes in this pod, with the ports and addresses of the place. Error `bootstrap.invalid` where pilot-agent
 * would exit instead.
 */
export function podBootstrap(options: PodBootstrapOptions, place: BootstrapPlace): Bootstrap {
  const env = new Map([
    ...options.env,
    ['ENVOY_STATUS_PORT', String(place.ports.ready)],
    ['ENVOY_PROMETHEUS_PORT', String(place.ports.prometheus)],
  ]);
  const told = new Map([...env].map(([name, value]): [string, Told<string>] => [name, { value, from: [{ text: `env ${name}` }] }]));
  const workload = workloadOf(options);
  const { bootstrap } = pilotAgentBootstrap({
    workload,
    pod: {
      name: undefined,
      namespace: { value: workload.namespace ?? '', from: [] },
      uid: undefined,
      ips: options.ips.length > 0 ? { value: options.ips, from: [] } : undefined,
      hostIps: undefined,
      nodeName: undefined,
      serviceAccount: { value: '', from: [] },
      nodeCpu: undefined,
      nodeMemory: undefined,
    },
    start: { env: told, args: [], notes: [] },
    proxyConfig: withPorts(options.proxyConfig, place),
    release: { value: options.release, from: [] },
  });
  return placed(bootstrap, place, options.shape);
}

/** A bootstrap for an Envoy that runs somewhere else than in the pod's folder: its sockets have whole paths. */
export function withAbsoluteSockets(bootstrap: Bootstrap, { root }: BootstrapPlace): Bootstrap {
  const wholePath = (key: string, value: Json): Json =>
    key === 'path' && typeof value === 'string' && value.startsWith('./') ? join(root, value) : value;
  return JSON.parse(JSON.stringify(bootstrap), wholePath) as Bootstrap;
}

function withPorts({ value, origins }: MergedProxyConfig, { ports }: BootstrapPlace): MergedProxyConfig {
  return { value: { ...value, proxyAdminPort: ports.admin, statusPort: ports.status }, origins };
}

/** @note The maker is written for manifests; a running pod is one without a file, and nobody asks for the places of its parts. */
function workloadOf({ env, role, flags, labels, annotations }: PodBootstrapOptions): InjectedWorkload {
  const positionOf: PositionOf = () => ({ file: 'the environment' });
  const namespace = env.get('POD_NAMESPACE') ?? '';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    name: env.get('POD_NAME') ?? '',
    namespace,
    labels,
    annotations,
    path: [],
    positionOf,
    document: { name: 'the environment', value: null, positionOf, textAt: () => undefined, documents: [] },
    flavour: role === 'router' ? 'gateway' : role === 'waypoint' ? 'waypoint' : 'sidecar',
    form: { since: '1.20', signs: [], current: true },
    pod: { path: [], namespace, labels, annotations, hostNetwork: false, podIps: [], hostIps: [], spec: {} },
    proxy: {
      name: 'istio-proxy',
      path: [],
      native: false,
      // What the agent is: the command line of the container that it stands for.
      args: { command: [], raw: ['proxy', role], role, flags },
      env: [],
      envFrom: [],
      mounts: [{ volume: 'istio-podinfo', mountPath: '/etc/istio/pod', readOnly: true, path: [] }],
      ports: [],
      probes: [],
      limits: {},
      requests: {},
      value: {},
    },
    identity: {},
    appContainers: [],
    warnings: [],
  };
}

/** The static listeners at the place's address and, in a lab, a short back-off; all else is pilot-agent's. */
function placed(bootstrap: Bootstrap, { bind }: BootstrapPlace, shape: PodBootstrapOptions['shape']): Bootstrap {
  const resources = bootstrap['static_resources'];
  const dynamic = bootstrap['dynamic_resources'];
  const listeners = isJsonObject(resources) && Array.isArray(resources['listeners']) ? (resources['listeners'] as readonly Json[]) : [];
  return {
    ...bootstrap,
    ...(isJsonObject(resources) ? { static_resources: { ...resources, listeners: listeners.map((each) => boundTo(each, bind)) } } : {}),
    ...(isJsonObject(dynamic) && shape === 'lab' ? { dynamic_resources: withFastReconnect(dynamic) } : {}),
  };
}

const anyAddress = ['0.0.0.0', '::'];

function boundTo(value: Json, bind: string): Json {
  if (!isJsonObject(value) || !isJsonObject(value['address'])) return value;
  const { address } = value;
  const socket = address['socket_address'];
  if (!isJsonObject(socket) || !anyAddress.includes(String(socket['address']))) return value;
  return { ...value, address: { ...address, socket_address: { ...socket, address: bind } } };
}

function withFastReconnect(dynamic: JsonObject): JsonObject {
  const ads = dynamic['ads_config'];
  if (!isJsonObject(ads) || !Array.isArray(ads['grpc_services'])) return dynamic;
  const retry = { retry_policy: { retry_back_off: { base_interval: '0.1s', max_interval: '0.5s' } } };
  const services = (ads['grpc_services'] as readonly Json[]).map((service) =>
    isJsonObject(service) && isJsonObject(service['envoy_grpc'])
      ? { ...service, envoy_grpc: { ...service['envoy_grpc'], ...retry } }
      : service,
  );
  return { ...dynamic, ads_config: { ...ads, grpc_services: services } };
}
