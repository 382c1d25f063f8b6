import type { Evidence } from './evidence.ts';
import type { Fact, LogFact, ResourceFact, StatFact, TimelineFact, WaitFact } from './fact.ts';
import type { InputKind } from './input.ts';
import type { BootstrapFacts } from './bootstrap-facts.ts';
import type { StaticCluster } from './bootstrap-facts.ts';

type Of<K extends Fact['fact']> = Extract<Fact, { fact: K }>;

/** Names that people give the cluster of their control plane, where no bootstrap says it. */
const usualXdsClusters = ['xds-grpc', 'xds_cluster', 'xds-cluster', 'ads_cluster', 'ads-cluster', 'xds', 'ads', 'control_plane'];

/** All that the inputs say, to be asked by rules. */
export class Seen {
  readonly facts: readonly Fact[];
  /** What kinds of input there were. */
  readonly kinds: ReadonlySet<InputKind>;
  private readonly stats = new Map<string, StatFact>();
  /** What pilot-agent's log says of stats. */
  private readonly toldStats = new Map<string, StatFact>();

  constructor(facts: readonly Fact[], kinds: Iterable<InputKind>) {
    this.facts = facts;
    this.kinds = new Set(kinds);
    for (const fact of facts) if (fact.fact === 'stat') this.stats.set(statKey(fact.name), fact);
    for (const fact of statsOfAgent(this.log(/Envoy proxy is (NOT )?ready/).at(-1))) this.toldStats.set(statKey(fact.name), fact);
  }

  of<K extends Fact['fact']>(kind: K): readonly Of<K>[] {
    return this.facts.filter((fact): fact is Of<K> => fact.fact === kind);
  }

  /** One stat by its whole name, listed or told by pilot-agent's log; undefined if the inputs do not have it. */
  stat(name: string): StatFact | undefined {
    return this.listedStat(name) ?? this.toldStats.get(statKey(name));
  }

  /** One stat, from a list of Envoy's. */
  listedStat(name: string): StatFact | undefined {
    return this.stats.get(statKey(name));
  }

  /** Its number; undefined if it is not there, which is not zero. */
  count(name: string): number | undefined {
    const value = this.stat(name)?.value;
    return typeof value === 'number' ? value : undefined;
  }

  /** Those of the stats that are above zero. */
  positive(...names: readonly string[]): readonly StatFact[] {
    return names.flatMap((name) => this.stat(name) ?? []).filter(({ value }) => typeof value === 'number' && value > 0);
  }

  /** Those of the stats that are there and zero. */
  zero(...names: readonly string[]): readonly StatFact[] {
    return names.flatMap((name) => this.stat(name) ?? []).filter(({ value }) => value === 0);
  }

  statsLike(pattern: RegExp): readonly StatFact[] {
    return [...this.stats.values()].filter(({ name }) => pattern.test(name));
  }

  /** A stat of the cluster that leads to istiod: `xds('ssl.fail_verify_san')`. */
  xds(suffix: string): StatFact | undefined {
    for (const name of this.xdsClusters) {
      const found = this.stat(`cluster.${name}.${suffix}`) ?? this.stat(`cluster.${name};.${suffix}`);
      if (found) return found;
    }
    return undefined;
  }

  /** Whether that stat is there and above zero. */
  xdsPositive(...suffixes: readonly string[]): readonly StatFact[] {
    return suffixes.flatMap((suffix) => this.xds(suffix) ?? []).filter(({ value }) => typeof value === 'number' && value > 0);
  }

  /** Lines of logs whose text matches, the newest last. */
  log(pattern: RegExp): readonly LogFact[] {
    return this.of('log').filter(({ text }) => pattern.test(text));
  }

  /** Events of istiod's side. */
  events(name: string, where: (fields: TimelineFact['fields']) => boolean = () => true): readonly TimelineFact[] {
    return this.of('event').filter((fact) => fact.event === name && where(fact.fields));
  }

  kubeEvents(pattern: RegExp): readonly Of<'kube-event'>[] {
    return this.of('kube-event').filter(({ reason, text }) => pattern.test(`${reason}: ${text}`));
  }

  waits(pattern: RegExp): readonly WaitFact[] {
    return this.of('wait').filter(({ target }) => pattern.test(target));
  }

  resources(type: ResourceFact['type'], ...states: readonly ResourceFact['state'][]): readonly ResourceFact[] {
    return this.of('resource').filter((fact) => fact.type === type && (states.length === 0 || states.includes(fact.state)));
  }

  /** Whether a config_dump with that section is among the inputs. */
  hasSection(type: ResourceFact['type']): boolean {
    return this.of('section').some((fact) => fact.type === type);
  }

  get bootstraps(): readonly BootstrapFacts[] {
    return this.of('bootstrap').map(({ bootstrap }) => bootstrap);
  }

  /** The static clusters that lead to istiod. */
  get xdsStatics(): readonly StaticCluster[] {
    return this.bootstraps.flatMap(({ clusters, adsClusters }) =>
      clusters.filter(({ name }) => adsClusters.some((ads) => ads.name === name)),
    );
  }

  private get xdsClusters(): readonly string[] {
    return [...new Set([...this.bootstraps.flatMap(({ adsClusters }) => adsClusters.map(({ name }) => name)), ...usualXdsClusters])];
  }
}

/** The four counters that pilot-agent names when it is not satisfied. It asks for used ones, and what is not used is zero. */
function statsOfAgent(line: LogFact | undefined): readonly StatFact[] {
  const counts = /cds updates: (\d+) successful, (\d+) rejected; lds updates: (\d+) successful, (\d+) rejected/.exec(line?.text ?? '');
  if (!line || !counts) return [];
  const names = [
    'cluster_manager.cds.update_success',
    'cluster_manager.cds.update_rejected',
    'listener_manager.lds.update_success',
    'listener_manager.lds.update_rejected',
  ];
  return names.map((name, i) => ({ fact: 'stat', at: line.at, says: line.says, name, value: Number(counts[i + 1]) }));
}

/** Prometheus writes `_` for whatever is no letter or digit; both spellings are one stat. */
function statKey(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '_');
}

/** The first, or the first and the last, of many equal pieces of evidence. */
export function some(evidence: readonly Evidence[], most = 2): readonly Evidence[] {
  const told = new Map<string, Evidence>();
  for (const one of evidence) {
    const key = one.says.replace(/\d+/g, '0');
    if (!told.has(key)) told.set(key, one);
  }
  return [...told.values()].slice(-most);
}
