import { jsonAnswer, proxyMissing, proxyUnknown, textAnswer, type DebugAnswer } from './answer.ts';
import { clientDetails, clientList } from './connected-clients.ts';
import { connectionNamed, connectionsOf, namespaceOf, type Connection } from './connection.ts';
import type { DebugPath, DebugQuestion } from './path.ts';
import { syncStatus } from './sync-status.ts';

/** The connection that `proxyID` means, as far as the caller may see it; undefined if none was named; `unknown` if it is not there. */
function askedFor({ istiod, query, namespace }: DebugQuestion): Connection | 'unknown' | undefined {
  const proxyId = query.get('proxyID') ?? '';
  if (proxyId === '') return undefined;
  const found = connectionNamed(connectionsOf(istiod), proxyId);
  return found && (namespace === undefined || namespaceOf(found.node) === namespace) ? found : 'unknown';
}

/** A path that is about one proxy. */
export function ofProxy(
  help: string,
  answer: (connection: Connection, question: DebugQuestion) => DebugAnswer | Promise<DebugAnswer>,
): DebugPath {
  return {
    help,
    answer(question) {
      const found = askedFor(question);
      if (found === undefined) return proxyMissing;
      return found === 'unknown' ? proxyUnknown : answer(found, question);
    },
  };
}

/** A path that is about one proxy, if one is named, else about all. */
export function ofProxyOrAll(
  help: string,
  answer: (connection: Connection | undefined, question: DebugQuestion) => DebugAnswer | Promise<DebugAnswer>,
): DebugPath {
  return {
    help,
    answer(question) {
      const found = askedFor(question);
      return found === 'unknown' ? proxyUnknown : answer(found, question);
    },
  };
}

async function dumped(connection: Connection, { istiod, query, pretty }: DebugQuestion, types: string): Promise<DebugAnswer> {
  const { dumpFor, resourcesFor } = await import('./config-dump.ts');
  const isZtunnel = connection.node.id.startsWith('ztunnel~');
  const wanted = types || (isZtunnel ? 'wds' : '');
  const dump = wanted ? resourcesFor(connection, istiod, wanted) : dumpFor(connection, istiod, query.has('include_eds'));
  return jsonAnswer(dump, pretty);
}

function typedDump(type: string): DebugPath {
  const help = `Resources of ${type.toUpperCase()} for the proxy of proxyID`;
  return ofProxy(help, (connection, question) => dumped(connection, question, type));
}

const details = ofProxyOrAll('', (connection, { istiod, pretty }) =>
  jsonAnswer(clientDetails(connection ? [connection] : connectionsOf(istiod), istiod), pretty),
);

/** What can be asked of the proxies that are connected. */
export const proxyPaths: Readonly<Record<string, DebugPath>> = {
  syncz: {
    help: 'How far each connected proxy has got; ?namespace= narrows it',
    answer: ({ istiod, query, pretty }) => jsonAnswer(syncStatus(istiod, query.get('namespace') ?? ''), pretty),
  },
  connections: {
    help: 'Who is connected',
    answer: ({ istiod, pretty }) => jsonAnswer(clientList(connectionsOf(istiod), istiod), pretty),
  },
  adsz: {
    help: 'Who is connected, and what each watches; ?proxyID= narrows it',
    answer(question) {
      const { istiod, query } = question;
      return query.get('push') ? textAnswer(`Pushed to ${istiod.pushAll()} servers\n`) : details.answer(question);
    },
  },
  config_dump: ofProxy(
    'What is served to the proxy of proxyID, as Envoy would dump it; ?types=cds,eds, ?include_eds',
    (connection, question) => dumped(connection, question, question.query.get('types') ?? ''),
  ),
  ecdsz: typedDump('ecds'),
  edsz: typedDump('eds'),
  ndsz: typedDump('nds'),
  force_disconnect: {
    ...ofProxy('Ends the stream of the proxy of proxyID', ({ stream }, { istiod }) => {
      istiod.sessions.find(({ state }) => state.stream === stream.stream)?.end({ code: 0, message: '' });
      return textAnswer('OK');
    }),
    listed: false,
  },
};
