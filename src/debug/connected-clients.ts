import type { Connection } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';
import { momentText } from './moment.ts';

type Json = Readonly<Record<string, unknown>>;

function facts({ id, stream }: Connection, istiod: DebuggedIstiod): Json {
  return { connectionId: id, connectedAt: momentText(istiod, stream.openedAtMs), address: stream.peer };
}

/** `/debug/connections`: who is connected. */
export function clientList(connections: readonly Connection[], istiod: DebuggedIstiod): Json {
  return listed(connections.map((connection) => facts(connection, istiod)));
}

/** `/debug/adsz`: who is connected, what it says of itself, and what it watches. */
export function clientDetails(connections: readonly Connection[], istiod: DebuggedIstiod): Json {
  return listed(connections.map((connection) => ({ ...facts(connection, istiod), ...details(connection) })));
}

function listed(clients: readonly Json[]): Json {
  return { totalClients: clients.length, ...(clients.length > 0 ? { clients } : {}) };
}

function details({ node, types }: Connection): Json {
  const { metadata, locality } = node;
  const labels = metadata['LABELS'];
  const { region, zone, subZone } = locality ?? {};
  return {
    ...(typeof labels === 'object' && labels !== null ? { labels } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(locality
      ? { locality: { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subZone ? { sub_zone: subZone } : {}) } }
      : {}),
    ...(types.length > 0 ? { watches: Object.fromEntries(types.map(({ typeUrl, names }) => [typeUrl, names])) } : {}),
  };
}
