import type { Evidence } from './evidence.ts';
import type { StatFact, TimelineFact } from './fact.ts';
import type { Seen } from './seen.ts';
import type { Standing } from './standing.ts';

type Type = 'CDS' | 'EDS' | 'LDS' | 'RDS' | 'SDS' | 'ECDS' | 'RTDS';

/** The subscription of stats of a type: what stands before `.update_attempt`. */
const subscriptions: Readonly<Record<Type, RegExp>> = {
  CDS: /^cluster_manager[._]cds$/,
  EDS: /^cluster[._](?!manager[._]cds$)(?!xds[-_]grpc)(.+)$/,
  LDS: /^listener_manager[._]lds$/,
  RDS: /^http[._].+[._]rds[._](.+)$/,
  SDS: /^(?:.*[._])?sds[._](.+)$/,
  RTDS: /^runtime(?:[._](.+))?$/,
  ECDS: /^extension_config_discovery[._][^.]+[._](.+)$/,
};

/** Subscriptions of a type that were asked for and got no answer, neither a good nor a bad one. A counter that is not listed is not zero. */
export function unanswered(seen: Seen, type: Type): readonly StatFact[] {
  return seen.statsLike(/[._]update_attempt$/).filter(({ name, value }) => {
    const scope = name.slice(0, -'.update_attempt'.length);
    if (!subscriptions[type].test(scope) || typeof value !== 'number' || value === 0) return false;
    if (
      type === 'EDS' &&
      (/^cluster[._]cds$/.test(scope) || seen.resources('CDS', 'static').some((one) => `cluster.${one.name}` === scope))
    )
      return false;
    return ['update_success', 'update_rejected', 'init_fetch_timeout'].every(
      (counter) => (seen.count(`${scope}.${counter}`) ?? (counter === 'update_success' ? 1 : 0)) === 0,
    );
  });
}

/** Names of what a subscription's stats stand for. */
export function subscribedNames(type: Type, stats: readonly StatFact[]): readonly string[] {
  return stats.flatMap(({ name }) => subscriptions[type].exec(name.slice(0, -'.update_attempt'.length))?.[1] ?? []);
}

/** By istiod's own account: asked for, and withheld since. */
export function withheld(seen: Seen, type: Type): readonly TimelineFact[] {
  const told = seen
    .of('event')
    .filter(({ event, fields }) => fields['type'] === type && ['response.withheld', 'response.sent'].includes(event));
  const last = told.at(-1);
  return last?.event === 'response.withheld' ? [last] : [];
}

/** Whether the proxy is on its way, with a connection that is not known to be lost. */
export function isUnderWay({ state, class: kind, isConnected }: Standing): boolean {
  return (
    isConnected !== false &&
    kind !== 'crash-loop' &&
    (state === undefined ? kind === 'not-ready' || kind === 'unknown' : state !== 'LIVE' && state !== 'DRAINING')
  );
}

/** That a stream is open: something came from istiod, or Envoy says it is connected. */
export function openStream(seen: Seen): readonly Evidence[] {
  return [
    ...seen.xdsPositive('upstream_cx_rx_bytes_total', 'upstream_rq_active').slice(0, 1),
    ...seen.positive('control_plane.connected_state'),
  ];
}

/** That streams to istiod fail again and again. */
export function failures(seen: Seen): readonly StatFact[] {
  return seen.positive('cluster_manager.cds.update_failure', 'listener_manager.lds.update_failure').slice(0, 1);
}
