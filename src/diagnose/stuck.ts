import type { Evidence } from './evidence.ts';
import type { ResourceFact } from './fact.ts';
import { isUnderWay, subscribedNames, unanswered } from './asked.ts';
import { field, textOf } from './json-access.ts';
import type { Seen } from './seen.ts';
import type { Standing } from './standing.ts';

/** Clusters came, and some of them warm: LDS is not asked for before they are done. */
export function isStuckWarming(seen: Seen, standing: Standing): boolean {
  if (standing.state !== 'PRE_INITIALIZING' && !(standing.state === undefined && standing.class !== 'crash-loop')) return false;
  return (
    seen.positive('cluster_manager.warming_clusters').length > 0 ||
    seen.resources('CDS', 'warming').length > 0 ||
    (standing.hasClusters === true && standing.state !== undefined) ||
    seen.events('response.withheld').length > 0
  );
}

/** Clusters of the config_dump that warm and have no endpoints. */
export function warmingByEds(seen: Seen): readonly ResourceFact[] {
  const assigned = new Set(seen.resources('EDS').map(({ name }) => name));
  return seen
    .resources('CDS', 'warming')
    .filter(
      ({ value, name }) =>
        textOf(value['type']) === 'EDS' &&
        !assigned.has(textOf(field(field(value, 'eds_cluster_config'), 'service_name')) ?? name) &&
        !assigned.has(name),
    );
}

/** CDS and LDS were accepted, and Envoy starts no worker: something that a listener wants is not there. */
export function isStuckListening(standing: Standing): boolean {
  if (!isUnderWay(standing) && standing.state !== 'INITIALIZING') return false;
  return (
    standing.state === 'INITIALIZING' || (standing.state === undefined && standing.hasListeners === true && standing.class === 'not-ready')
  );
}

/** It is a listener, and nothing tells what it waits for. */
export function isListenerStuck(seen: Seen): boolean {
  const types = ['RDS', 'SDS', 'ECDS'] as const;
  if (seen.of('wait').length > 0 || types.some((type) => unanswered(seen, type).length > 0)) return false;
  return seen.positive('listener_manager.lds.update_success').length > 0;
}

export function isListenerStuckBy(seen: Seen): readonly Evidence[] {
  return [...seen.positive('listener_manager.lds.update_success'), ...seen.zero('listener_manager.workers_started')];
}

/** Listeners of which the init_dump says that they wait for something like that. */
export function waitingListeners(seen: Seen, target: RegExp): readonly string[] {
  return seen.waits(target).flatMap(({ manager }) => /init-manager (\S+)/.exec(manager)?.[1] ?? []);
}

/** `hello waits for the secret ROOTCA`, as far as it is known. */
export function waitingFor(seen: Seen, type: 'RDS' | 'SDS' | 'ECDS', who: readonly string[]): string | undefined {
  const words = { RDS: /RDS init (.+)$/, SDS: /SdsApi (.+)$/, ECDS: /FilterConfigSubscription init (.+)$/ } as const;
  const told = seen.of('wait').flatMap(({ target }) => words[type].exec(target)?.[1] ?? []);
  const warming = type === 'SDS' ? seen.resources('SDS', 'warming').map(({ name }) => name) : [];
  const names = [...new Set(told.length > 0 ? told : warming.length > 0 ? warming : subscribedNames(type, unanswered(seen, type)))];
  if (names.length === 0) return undefined;
  const nouns = { RDS: 'routes', SDS: 'secret', ECDS: 'filter configuration' } as const;
  const subject = who.length > 0 ? `${[...new Set(who)].join(', ')} ${who.length === 1 ? 'waits' : 'wait'} for` : 'waited for:';
  return `${subject} ${nouns[type]} ${names.join(', ')}`;
}
