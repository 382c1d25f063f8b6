import { proxyView } from '../services/proxy-view.ts';
import { jsonAnswer, textAnswer, type DebugAnswer } from './answer.ts';
import { configKinds } from './config-kinds.ts';
import { connectionsOf, namespaceOf } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';
import { meshConfig } from './mesh-config.ts';
import { endpointShards, instances, networkGateways, registry, sidecarScope } from './mesh-json.ts';
import type { DebugPath } from './path.ts';
import { ofProxy, ofProxyOrAll } from './proxy-paths.ts';

/** A path whose answer is a value. */
function valued(help: string, valueOf: (istiod: DebuggedIstiod) => unknown): DebugPath {
  return { help, answer: async ({ istiod, pretty }) => jsonAnswer(await valueOf(istiod), pretty) };
}

const policies = { namespace_to_policies: {}, root_namespace: 'istio-system' };
const telemetries = { namespace_to_telemetries: {}, root_namespace: 'istio-system' };

/** Clusters whose endpoints are read (istio secretcontroller.go:ListRemoteClusters): the own one first, whose name no secret holds. */
function readClusters({ clusters, mesh }: DebuggedIstiod): readonly Readonly<Record<string, string>>[] {
  const ofEndpoints = (mesh?.services ?? []).flatMap(({ endpoints }) => endpoints.map(({ cluster }) => cluster));
  const remote = [...new Set([...clusters.remote, ...ofEndpoints])].filter((id) => id !== clusters.own);
  const secretOf = (id: string): string => `istio-system/istio-remote-secret-${id}`;
  return [
    { id: clusters.own, secretName: '', syncStatus: 'synced' },
    ...remote.map((id) => ({ id, secretName: secretOf(id), syncStatus: 'synced' })),
  ];
}

async function cache(istiod: DebuggedIstiod, query: URLSearchParams, pretty: boolean): Promise<DebugAnswer> {
  if (query.get('clear')) return textAnswer('Cache cleared\n');
  const { cachedNames, cachedSizes } = await import('./served-content.ts');
  return jsonAnswer(query.get('sizes') ? cachedSizes(istiod) : cachedNames(istiod), pretty);
}

const shards = valued('Endpoints by service, namespace and registry', ({ mesh }) => endpointShards(mesh));

/** What can be asked of the server and its mesh. */
export const serverPaths: Readonly<Record<string, DebugPath>> = {
  registryz: valued('The services of the mesh', ({ mesh }) => registry(mesh)),
  endpointShardz: shards,
  endpointz: { ...shards, help: 'As endpointShardz' },
  instancesz: valued('Services whose pod each proxy is', (istiod) =>
    Object.fromEntries(connectionsOf(istiod).map(({ proxyId, node }) => [proxyId, instances(istiod.mesh, proxyView(node))])),
  ),
  sidecarz: ofProxy('What the proxy of proxyID sees of the mesh', ({ node }, { istiod, pretty }) =>
    jsonAnswer(sidecarScope(istiod.mesh, namespaceOf(node), istiod.snapshot(node.id).version), pretty),
  ),
  clusterz: valued('Clusters whose endpoints are read', readClusters),
  networkz: valued('Gateways between networks', ({ mesh }) => networkGateways(mesh)),
  mesh: valued('The mesh configuration', meshConfig),
  cachez: {
    help: 'Names of what is encoded; ?sizes=true, ?clear=true',
    answer: ({ istiod, query, pretty }) => cache(istiod, query, pretty),
  },
  configz: valued('Configuration of Istio, of which there is none', () => []),
  resourcesz: valued('Kinds of configuration that istiod watches', configKinds),
  authorizationz: valued('Authorization policies, of which there are none', () => ({ authorization_policies: policies })),
  telemetryz: ofProxyOrAll('Telemetry configuration, of which there is none', (connection, { pretty }) =>
    jsonAnswer(connection ? {} : { telemetries }, pretty),
  ),
  push_status: { help: 'What the last push found wrong: nothing', answer: () => jsonAnswer({}, false) },
  pushcontext: valued('What pushes are made from', ({ mesh }) => ({
    AuthorizationPolicies: policies,
    NetworkGateways: networkGateways(mesh),
    UnresolvedGateways: [],
  })),
  ambientz: valued("Workloads, services and policies of ambient's clients", async (istiod) =>
    (await import('./served-content.ts')).ambient(istiod),
  ),
  krtz: valued("istiod's inner state, of which there is none", () => []),
  mcsz: valued('Multi-cluster services, of which there are none', () => []),
  /** As an istiod without Kubernetes answers, which has no webhook. */
  inject: { help: 'The injection template, of which there is none', answer: () => textAnswer('', 404) },
};
