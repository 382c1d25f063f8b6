import type { BootstrapWish } from './scenario.ts';

/** A scenario's wishes as the bootstrap's own options. */
export interface WishedBootstrap {
  readonly fetchTimeout?: string;
  readonly adsCluster?: string;
  readonly merge?: NonNullable<BootstrapWish['merge']>;
}

/** What a scenario says of the bootstrap, in the words of `envoy/bootstrap.ts`. */
export function wishedBootstrap({ fetchTimeoutMs, adsCluster, merge }: BootstrapWish = {}): WishedBootstrap {
  return {
    ...(fetchTimeoutMs === undefined ? {} : { fetchTimeout: `${fetchTimeoutMs / 1000}s` }),
    ...(adsCluster === undefined ? {} : { adsCluster }),
    ...(merge ? { merge } : {}),
  };
}

/** Whether its Envoy is given certificates or tokens, which the server has to make first. */
export function wantsCredentials({ tls, token, tokenFile }: BootstrapWish = {}): boolean {
  return [tls, token, tokenFile].some((wish) => wish !== undefined);
}
