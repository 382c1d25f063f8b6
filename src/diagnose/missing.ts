import type { Seen } from './seen.ts';
import type { Standing } from './standing.ts';

/** What would tell more than the inputs do; a sentence each, the most telling first. */
export function missingFor(seen: Seen, standing: Standing, isExplained: boolean): readonly string[] {
  if (standing.class === 'ready' || isExplained) return [];
  const has = (...kinds: readonly Parameters<typeof seen.kinds.has>[0][]): boolean => kinds.some((kind) => seen.kinds.has(kind));
  const missing: string[] = [];
  if (standing.state === undefined && standing.class !== 'crash-loop' && standing.class !== 'never-started')
    missing.push("Envoy's state: curl -s localhost:15000/server_info, or the body of localhost:15000/ready");
  if (standing.class === 'crash-loop' && !has('log'))
    missing.push('the log of the run that ended: kubectl logs POD -c istio-proxy --previous');
  if (standing.class === 'crash-loop' && !has('bootstrap', 'config_dump'))
    missing.push('the bootstrap: /etc/istio/proxy/envoy-rev.json in the container');
  if (!has('stats') && standing.class !== 'crash-loop' && standing.class !== 'never-started')
    missing.push('the counters: curl -s localhost:15000/stats (without `usedonly`, which leaves out zeros)');
  else if (has('stats') && seen.stat('cluster_manager.cds.update_success') === undefined)
    missing.push(
      'cluster_manager.cds.update_success is not among the stats, and a missing stat is not a zero: take /stats without `usedonly` and filter',
    );
  if (standing.class !== 'crash-loop' && standing.class !== 'never-started') {
    if (!has('log'))
      missing.push("Envoy's log, best with --component-log-level config:debug: at `warning` alone gRPC status 14 is not logged for 30 s");
    if (!has('config_dump')) missing.push("what it has and waits for: curl -s 'localhost:15000/config_dump?include_eds'");
    if (standing.state === 'INITIALIZING' && !has('init_dump'))
      missing.push('which listener waits for what: curl -s localhost:15000/init_dump');
    if (!has('timeline') && seen.log(/^(ads|delta|security)\b/).length === 0)
      missing.push("istiod's side, which alone knows why it refuses: kubectl logs -n istio-system deploy/istiod");
  }
  if (standing.class === 'never-started' && !has('pod description', 'event list')) missing.push('the events: kubectl describe pod POD');
  return missing;
}
