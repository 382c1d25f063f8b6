import type { BootstrapWish, Scenario } from './scenario.ts';

/** A scenario's wishes as the bootstrap's own options. */
export interface WishedBootstrap {
  readonly fetchTimeout?: string;
  readonly adsCluster?: string;
  readonly node?: NonNullable<BootstrapWish['node']>;
  readonly merge?: NonNullable<BootstrapWish['merge']>;
}

/** What a scenario says of the bootstrap, in the words of `envoy/bootstrap.ts`. */
export function wishedBootstrap({ fetchTimeoutMs, adsCluster, node, merge }: BootstrapWish = {}): WishedBootstrap {
  return {
    ...(fetchTimeoutMs === undefined ? {} : { fetchTimeout: `${fetchTimeoutMs / 1000}s` }),
    ...(adsCluster === undefined ? {} : { adsCluster }),
    ...(node ? { node } : {}),
    ...(merge ? { merge } : {}),
  };
}

/** The wishes for an Envoy by its name; without a name those for the only one, or the first. Undefined if no Envoy has the name. */
export function wishOf(scenario: Pick<Scenario, 'bootstrap' | 'envoys'> | undefined, name?: string): BootstrapWish | undefined {
  const { bootstrap = {}, envoys } = scenario ?? {};
  if (name === undefined) return envoys?.[0]?.bootstrap ?? bootstrap;
  return envoys?.find((envoy) => envoy.name === name)?.bootstrap;
}

/** Whether its Envoy is given certificates or tokens, which the server has to make first. */
export function wantsCredentials({ tls, token, tokenFile }: BootstrapWish = {}): boolean {
  return [tls, token, tokenFile].some((wish) => wish !== undefined);
}
