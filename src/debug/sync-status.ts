import { TypeUrl } from '../protocol/resource-type.ts';
import type { NodeType } from '../session/node-state.ts';
import { connectionsOf, metadataText, proxyTypeOf, type Connection } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';
import { momentText, neverText, SendTimes } from './moment.ts';

type Json = Readonly<Record<string, unknown>>;

const oldKeys: readonly (readonly [string, string])[] = [
  ['cluster', TypeUrl.cluster],
  ['listener', TypeUrl.listener],
  ['route', TypeUrl.route],
  ['endpoint', TypeUrl.endpoint],
  ['extensionconfig', TypeUrl.extensionConfig],
];

/** `/debug/syncz`: how far each connection has got, in nonces (istio debug.go:SyncStatus). `namespace`: of these proxies alone. */
export function syncStatus(istiod: DebuggedIstiod, namespace: string): readonly Json[] {
  const times = new SendTimes(istiod);
  return connectionsOf(istiod)
    .filter(({ node }) => namespace === '' || metadataText(node, 'NAMESPACE') === namespace)
    .map((connection) => statusOf(connection, istiod, times));
}

function statusOf({ node, proxyId, stream, types }: Connection, istiod: DebuggedIstiod, times: SendTimes): Json {
  const byType = new Map(types.map((type) => [type.typeUrl, type]));
  const nonces = oldKeys.flatMap(([word, typeUrl]) => [
    [`${word}_sent`, byType.get(typeUrl)?.sent?.nonce],
    [`${word}_acked`, byType.get(typeUrl)?.acked?.nonce],
  ]);
  const resources = types.map((type) => [type.typeUrl, resourceStatus(type, istiod, times.lastMs(stream.stream, type.typeUrl))]);
  return {
    ...given('cluster_id', metadataText(node, 'CLUSTER_ID')),
    proxy: proxyId,
    ...given('proxy_type', proxyTypeOf(node)),
    ...given('istio_version', metadataText(node, 'ISTIO_VERSION')),
    ...Object.fromEntries(nonces.filter(([, nonce]) => nonce !== undefined)),
    ...(resources.length > 0 ? { resources: Object.fromEntries(resources) } : {}),
  };
}

function resourceStatus({ sent, acked, nacked }: NodeType, istiod: DebuggedIstiod, sentMs: number | undefined): Json {
  return {
    ...given('sent', sent?.nonce),
    ...given('acked', acked?.nonce),
    sentTime: sentMs === undefined ? neverText : momentText(istiod, sentMs),
    ...given('lastError', nacked?.text),
  };
}

function given(key: string, value: string | undefined): Json {
  return value === undefined || value === '' ? {} : { [key]: value };
}
