import type { SourceDocument } from '../protobuf/document.ts';

/** What a command can do something with. */
export type InputKind = 'scenario' | 'bootstrap' | 'resources';

/** What a file is, by its content. `other` is known to people but not for us: `what` follows "is". */
export type Recognised = { readonly kind: InputKind } | { readonly kind: 'other'; readonly what: string; readonly remedy: string };

type Mapping = Readonly<Record<string, unknown>>;

const scenarioKeys = ['steps', 'expect', 'serve', 'nodes', 'withhold', 'istiod', 'mutation', 'about'];
/** Keys by which a bootstrap is known. */
export const bootstrapKeys = [
  'static_resources',
  'dynamic_resources',
  'staticResources',
  'dynamicResources',
  'layered_runtime',
  'layeredRuntime',
  'stats_sinks',
  'statsSinks',
];
const meshKeys = ['defaultConfig', 'rootNamespace', 'trustDomain', 'defaultProviders', 'meshNetworks'];
const clusterManagerOfV1 = ['clusters', 'sds', 'cds'];

/** Tells what a document is by the keys it starts with. Whatever else it is, it may still be resources. */
export function recognise({ value }: SourceDocument): Recognised {
  if (!isMapping(value)) return { kind: 'resources' };
  const has = (keys: readonly string[]): boolean => keys.some((key) => key in value);
  if (typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string') return kubernetesObject(value);
  if ('xds_servers' in value) return other("is a bootstrap of gRPC's own xDS client, not of Envoy", 'Give the bootstrap of an Envoy');
  if (isMapping(value['cluster_manager']) && clusterManagerOfV1.some((key) => key in (value['cluster_manager'] as Mapping))) {
    return other("is a bootstrap in Envoy's v1 API, which Envoy 1.10 dropped (2019)", '`fake-istiod bootstrap` prints one in v3');
  }
  if ('@type' in value || 'configs' in value || 'configDump' in value) return { kind: 'resources' };
  if (has(bootstrapKeys) || ('node' in value && 'admin' in value)) return { kind: 'bootstrap' };
  if (has(scenarioKeys)) return { kind: 'scenario' };
  if (has(meshKeys)) return other('is an Istio mesh config, not a bootstrap', 'The bootstrap is what pilot-agent makes of it');
  if ('metadata' in value && 'data' in value) return kubernetesObject({ kind: 'ConfigMap', ...value });
  if ('admin' in value || 'title' in value) return { kind: 'admin' in value ? 'bootstrap' : 'scenario' };
  return { kind: 'resources' };
}

/** What people call a kind. */
export function kindText(kind: InputKind): string {
  return { scenario: 'a scenario', bootstrap: 'a bootstrap', resources: 'resources' }[kind];
}

function kubernetesObject(value: Mapping): Recognised {
  const kind = String(value['kind']);
  const inside =
    kind === 'ConfigMap' && isMapping(value['data'])
      ? Object.keys(value['data']).find((key) => /\.(json|ya?ml)$|bootstrap|envoy/.test(key))
      : undefined;
  const spec = isMapping(value['spec']) ? value['spec'] : {};
  const remedy =
    inside !== undefined
      ? `Its data.${inside} may be what you mean: save that as a file of its own`
      : kind === 'EnvoyProxy' && isMapping(spec['bootstrap'])
        ? 'Its spec.bootstrap is laid over what Envoy Gateway makes; give the bootstrap that Envoy gets'
        : /^(Deployment|StatefulSet|DaemonSet|Job|CronJob|ReplicaSet|Pod|List)$/.test(kind)
          ? 'Give the file that Envoy gets; `fake-istiod bootstrap --manifest` makes it of an injected workload'
          : 'Give the file that Envoy gets';
  return other(`is a Kubernetes ${kind}, not what Envoy reads`, remedy);
}

function other(what: string, remedy: string): Recognised {
  return { kind: 'other', what, remedy };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
