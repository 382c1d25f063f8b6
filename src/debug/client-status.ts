import { encodeJson } from '../protobuf/canonical-json.ts';
import type { Resource } from '../protocol/resource.ts';
import type { NodeType } from '../session/node-state.ts';
import { connectionsOf, isOnlooker, metadataText, namespaceOf, type Connection } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';
import { momentText, SendTimes } from './moment.ts';

type Json = Readonly<Record<string, unknown>>;

const message = 'envoy.service.status.v3.ClientConfig';
const toldKeys = ['CLUSTER_ID', 'NAMESPACE', 'ISTIO_VERSION'];

/**
 * `istio.io/debug/syncz`: a ClientConfig for each proxy (istio statusgen.go:debugSyncz). istiod lists proxies that bring a PROXY_CONFIG, and
 * ztunnels; the quirk `plain-proxies` says what becomes of others that take resources.
 *
 * @param namespace of these proxies alone; undefined: of all
 */
export function clientStatus(istiod: DebuggedIstiod, namespace: string | undefined): readonly Resource[] {
  const times = new SendTimes(istiod);
  return connectionsOf(istiod)
    .filter((connection) => isListed(connection, istiod) && (namespace === undefined || namespaceOf(connection.node) === namespace))
    .map((connection) => ({
      typeUrl: `type.googleapis.com/${message}`,
      name: connection.proxyId,
      value: encodeJson(message, configOf(connection, istiod, times)),
    }));
}

function isListed(connection: Connection, { quirks }: DebuggedIstiod): boolean {
  const { node } = connection;
  if (node.metadata['PROXY_CONFIG'] !== undefined || node.id.startsWith('ztunnel~')) return true;
  return quirks['plain-proxies'] === 'listed' && !isOnlooker(connection);
}

function configOf({ node, proxyId, stream, types }: Connection, istiod: DebuggedIstiod, times: SendTimes): Json {
  const told = toldKeys.map((key) => [key, metadataText(node, key)] as const).filter(([, value]) => value !== '');
  const byTypeUrl = [...types].sort((a, b) => (a.typeUrl < b.typeUrl ? -1 : 1));
  return {
    node: { id: proxyId, metadata: Object.fromEntries(told) },
    genericXdsConfigs: byTypeUrl.map((type) => genericConfig(type, times.lastMs(stream.stream, type.typeUrl), istiod)),
  };
}

function genericConfig(type: NodeType, sentMs: number | undefined, istiod: DebuggedIstiod): Json {
  const { typeUrl, nacked } = type;
  const lastUpdated = sentMs === undefined ? {} : { lastUpdated: momentText(istiod, sentMs) };
  const lastUpdateAttempt = sentMs === undefined ? {} : { lastUpdateAttempt: momentText(istiod, sentMs) };
  return {
    typeUrl,
    configStatus: configStatus(type),
    ...lastUpdated,
    ...(nacked ? { errorState: { ...lastUpdateAttempt, details: nacked.text } } : {}),
  };
}

/** @note A refusal without a word is an error here, too; istiod takes it for none. */
function configStatus({ sent, acked, nacked }: NodeType): string {
  if (nacked) return 'ERROR';
  if (!sent) return 'NOT_SENT';
  return acked?.nonce === sent.nonce ? 'SYNCED' : 'STALE';
}
