import { resourceType, TypeUrl } from '../protocol/resource-type.ts';
import type { StreamState } from '../protocol/stream-state.ts';
import type { SyncStatus } from '../protocol/sync.ts';
import { isWildcard } from '../protocol/subscription.ts';
import { clientCopy, type Watch } from '../protocol/watch.ts';

/** An acknowledgement that has not come: of a type, or of a node that was there and has gone. */
export type Missing =
  | {
      readonly node: string;
      readonly typeUrl: string;
      readonly status: SyncStatus;
      /** All streams of the node: what one asks for may explain what another waits for. */
      readonly streams: readonly StreamState[];
    }
  | { readonly node: string; readonly status: 'gone' };

const reasons: Readonly<Record<SyncStatus, string>> = {
  'not requested': 'the client has not asked for it yet (a client that never will: name the types to wait for, acked({ types }))',
  'not sent': 'not sent yet',
  withheld: 'withheld; release it',
  sent: 'sent, no answer yet',
  acked: 'acknowledged',
  nacked: 'rejected',
};

/** Says what one missing acknowledgement waits for. */
export function missingText(missing: Missing): string {
  if (missing.status === 'gone') return `${missing.node}: its stream ended before it acknowledged, and it has not come back`;
  const { node, typeUrl, status, streams } = missing;
  const cause = streams.flatMap((state) => causeIn(state, typeUrl, status) ?? [])[0];
  const reason = cause && status === 'not requested' ? 'the client has not asked for it yet' : reasons[status];
  return `${node} ${resourceType(typeUrl).short}: ${reason}${cause ? ` (${cause})` : ''}`;
}

/** Types that Envoy asks for only after it has the other one, whose resources name them. */
const namedBy: ReadonlyMap<string, string> = new Map([
  [TypeUrl.endpoint, TypeUrl.cluster],
  [TypeUrl.route, TypeUrl.listener],
]);

function causeIn({ watches }: StreamState, typeUrl: string, status: SyncStatus): string | undefined {
  const namer = status === 'not requested' ? watches.get(namedBy.get(typeUrl) ?? '') : undefined;
  if (namer?.debt) return `Envoy asks for it once a ${resourceType(namer.typeUrl).short} resource names it, and that is withheld`;
  const pauses = (typeUrl === TypeUrl.cluster && status === 'sent') || (typeUrl === TypeUrl.listener && status === 'not requested');
  if (!pauses) return undefined;
  const warming = [TypeUrl.endpoint, TypeUrl.secret].flatMap((needed) => warmingText(watches.get(needed)) ?? []);
  if (warming.length > 0) return `Envoy pauses while clusters warm: ${warming.join('; ')}`;
  return watches.get(TypeUrl.cluster)?.debt ? 'Envoy asks for it once its clusters are ready, and CDS is withheld' : undefined;
}

/**
 * What clusters wait for in a type. Envoy holds back its CDS ACK, and its LDS request, while clusters warm; without clusters it asks for
 * no listeners at all.
 */
function warmingText(watch: Watch | undefined): string | undefined {
  if (!watch) return undefined;
  const { short } = resourceType(watch.typeUrl);
  if (watch.debt) return `${short} is withheld for ${namesIn(watch).join(', ')}`;
  if (watch.unanswered.length > 0 || !watch.held) return `${short} is unanswered for ${namesIn(watch).join(', ')}`;
  if (isWildcard(watch.subscription)) return undefined;
  const absent = [...watch.subscription.names].filter((name) => clientCopy(watch, name) === undefined);
  return absent.length > 0 ? `${short} has nothing for ${absent.join(', ')}` : undefined;
}

function namesIn({ subscription, debt }: Watch): readonly string[] {
  return [...(debt && debt.names !== 'all' ? debt.names : subscription.names)];
}
