import { FakeIstiodError } from '../errors.ts';
import type { FakeIstiod } from '../index.ts';

/** An entry for a container's hosts file. */
interface ExtraHost {
  readonly host: string;
  readonly ipAddress: string;
}

/** Where a container reaches something, and what it must be told to do so. */
export interface Reached {
  readonly host: string;
  readonly port: number;
  readonly extraHosts: readonly ExtraHost[];
}

/** This machine, as containers call it; Docker 20.10 and newer fill in the address. */
const hostName = 'host.docker.internal';
const toHost: readonly ExtraHost[] = [{ host: hostName, ipAddress: 'host-gateway' }];

/** A published port of this machine. */
export function reachedByHost(port: number): Reached {
  return { host: hostName, port, extraHosts: toHost };
}

/** A fake istiod of this process. Error `options.invalid` if it listens on loopback alone, which no container reaches. */
export function reachedFromContainer({ port, timeline }: FakeIstiod): Reached {
  const started = timeline.events.findLast(({ event }) => event === 'server.started');
  const addresses = started?.event === 'server.started' ? started.addresses : [];
  const loopback = addresses.length > 0 && addresses.every((address) => /^(127\.|\[?::1\]?:|localhost:)/.test(address));
  if (!loopback) return reachedByHost(port);
  throw new FakeIstiodError('options.invalid', `the fake istiod listens on ${addresses.join(' and ')} alone, which no container reaches`, {
    remedy: "Start it on all addresses: startFakeIstiod({ bind: ['0.0.0.0'] })",
  });
}
