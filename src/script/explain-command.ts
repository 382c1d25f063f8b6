import type { Resource } from '../protocol/resource.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { StreamMatcher } from '../protocol/stream-matcher.ts';
import type { Mesh } from '../services/mesh.ts';
import type { Command } from './command.ts';
import { identitySentence } from './explain-identity.ts';
import { proxySentence } from './explain-proxy.ts';
import { durationText } from './duration.ts';
import { listed, nodeText, typeName } from './explain-pattern.ts';
import { statusText } from './status-code.ts';

/** More names than this are counted instead of listed. */
const shownNames = 6;

/** `listeners l1 and l2`, `no listeners`, `700 clusters`. */
export function resourcesText(typeUrl: string, names: readonly string[]): string {
  const key = resourceType(typeUrl).key.replaceAll('_', ' ');
  if (names.length === 0) return `no ${key}`;
  if (names.length > shownNames) return `${names.length} ${key}`;
  return `${names.length === 1 ? key.replace(/s$/, '') : key} ${listed(names.map((name) => name || '(no name)'))}`;
}

/** All resources of a list, type by type. `types` names those that stand there with nothing. */
export function servedText(resources: readonly Resource[], types: readonly string[] = []): string {
  const byType = new Map<string, string[]>(types.map((typeUrl) => [typeUrl, []]));
  for (const { typeUrl, name } of resources) byType.set(typeUrl, [...(byType.get(typeUrl) ?? []), name]);
  return listed([...byType].map(([typeUrl, names]) => resourcesText(typeUrl, names)));
}

function ruleText({ typeUrl, names, node, lifted = [] }: WithholdRule): string {
  const what = namedText(typeName(typeUrl), names, node);
  return lifted.length === 0 ? what : `${what} but for ${listed(lifted.map((lift) => namedText('all', lift.names, lift.node)))}`;
}

function namedText(what: string, names: WithholdRule['names'], node: WithholdRule['node']): string {
  return `${names ? `${what === 'all' ? 'those' : what} of ${listed(names)}` : what}${node ? ` for nodes ${nodeText(node)}` : ''}`;
}

/** `CDS and EDS of a`. */
export function rulesText(rules: readonly WithholdRule[]): string {
  return listed(rules.map(ruleText)) || 'nothing';
}

function streamsText(streams: StreamMatcher | undefined): string {
  return `${streams?.variant ? ` in ${streams.variant}` : ''}${streams?.node ? ` of nodes ${nodeText(streams.node)}` : ''}`;
}

function closedText(streams: StreamMatcher | undefined): string {
  return `${streams?.stream === undefined ? 'all streams' : `stream ${streams.stream}`}${streamsText(streams)}`;
}

function withStatus({ code, message }: Status): string {
  return ` with status ${statusText(code)}${message ? ` (${message})` : ''}`;
}

function publishText({ replace, set, remove }: SnapshotChange, layer: number | undefined): string {
  const parts = [
    ...(replace ? [`publish ${servedText([...replace.values()].flat(), [...replace.keys()]) || 'what is served already'}`] : []),
    ...(set ? [`set ${servedText(set)}`] : []),
    ...(remove ? [`remove ${listed([...remove].map(([typeUrl, names]) => resourcesText(typeUrl, names)))}`] : []),
  ];
  return `${listed(parts)}${layer === undefined ? '' : ` for entry ${layer} of nodes`}`;
}

/** `2 services (hello.default.svc.cluster.local and db.shop.svc.cluster.local)`. */
export function meshText({ services, clusters, networks }: Mesh): string {
  const names = services.map(({ hostname }) => hostname);
  const shown = names.length <= 4 ? names : [...names.slice(0, 3), `${names.length - 3} more`];
  const ids = clusters.map(({ name, id }) => (name === id ? id : `${name} (id ${id})`));
  const gateways = Object.entries(networks).map(
    ([network, list]) => `${network} by ${listed(list.map(({ address, port }) => `${address}:${port}`))}`,
  );
  const count = `${names.length} service${names.length === 1 ? '' : 's'}${names.length > 0 ? ` (${listed(shown)})` : ''}`;
  return `${count}${ids.length > 0 ? ` of the clusters ${listed(ids)}` : ''}${gateways.length > 0 ? `, entering ${listed(gateways)}` : ''}`;
}

/** `release CDS`, in the imperative. */
export function commandSentence(command: Command): string {
  switch (command.kind) {
    case 'publish':
      return publishText(command.change, command.layer);
    case 'services':
      return `let the services of the mesh be ${meshText(command.mesh)}`;
    case 'heartbeats':
      return command.state === 'on' ? 'keep resources with a lifetime on' : 'let resources with a lifetime run out';
    case 'withhold':
    case 'release':
      return `${command.kind} ${rulesText(command.rules)}`;
    case 'delay':
      return command.delayMs === 0
        ? `delay ${typeName(command.typeUrl)} responses no more${streamsText(command.streams)}`
        : `delay ${typeName(command.typeUrl)} responses by ${durationText(command.delayMs)}${streamsText(command.streams)}`;
    case 'drop':
      return `drop the next ${command.count === 1 ? '' : `${command.count} `}${typeName(command.typeUrl)} response${command.count === 1 ? '' : 's'}${streamsText(command.streams)}`;
    case 'close':
      return `close ${closedText(command.streams)}${withStatus(command.status)}`;
    case 'refuse':
      return `refuse ${command.count === undefined ? 'new streams' : command.count === 1 ? 'the next stream' : `the next ${command.count} streams`}${streamsText(command.streams)}${withStatus(command.status)}`;
    case 'accept':
      return 'accept streams again';
    case 'stop-server':
      return 'stop the server';
    case 'start-server':
      return 'start the server';
    case 'silence-server':
      return 'silence the server';
    case 'set-ready':
      return command.ready ? 'let istiod be ready' : 'let istiod be not ready';
    case 'mark':
      return `mark ${command.moment}`;
    case 'write-token':
    case 'request-certificate':
      return proxySentence(command);
    default:
      return identitySentence(command);
  }
}
