import { describe, expect, it } from 'vitest';
import type { AuthEvent } from '../../src/auth/auth-event.ts';
import { ClosableGate } from '../../src/auth/gate.ts';
import { Guard } from '../../src/auth/guard.ts';
import { identityMismatch } from '../../src/auth/identity-check.ts';
import { authPolicy, changedPolicy } from '../../src/auth/policy.ts';
import { RateLimit } from '../../src/auth/rate-limit.ts';
import { XdsDoor } from '../../src/auth/xds-door.ts';
import { matchesPattern } from '../../src/protocol/node.ts';
import { manualClock } from '../clock.ts';

describe('a gate', () => {
  const gate = (): ClosableGate => new ClosableGate(matchesPattern);
  const tries = (one: ClosableGate, ...callers: (string | undefined)[]): boolean[] =>
    callers.map((caller) => one.keepsOut(caller) !== undefined);

  it('is open at first', () => {
    expect(tries(gate(), undefined, 'a')).toEqual([false, false]);
  });

  it('stays closed until it is opened', () => {
    const one = gate();
    one.close();
    expect(tries(one, undefined, undefined, undefined)).toEqual([true, true, true]);
    one.open();
    expect(tries(one, undefined)).toEqual([false]);
  });

  it('is closed for so many tries, and says how many are left', () => {
    const one = gate();
    one.close({ tries: 2 });
    expect([1, 2, 3].map(() => one.keepsOut(undefined))).toEqual([
      'the gate is closed for 1 more tries',
      'the gate is closed for 0 more tries',
      undefined,
    ]);
  });

  it('is closed for one caller, who is asked for once it is known', () => {
    const one = gate();
    one.close({ tries: 1, caller: 'a*' });
    expect(tries(one, undefined, 'b', 'ab', 'ab')).toEqual([false, false, true, false]);
  });

  it('is closed by several rules one after the other', () => {
    const one = gate();
    one.close({ tries: 1 });
    one.close({ tries: 1 });
    expect(tries(one, undefined, undefined, undefined)).toEqual([true, true, false]);
  });
});

describe('a limit of the rate', () => {
  it('lets one in at once and then evenly, never more for having waited', () => {
    const clock = manualClock();
    const limit = new RateLimit(4, clock);
    const admitted = (...waits: readonly number[]): boolean[] =>
      waits.map((wait) => {
        clock.advance(wait);
        return limit.admits();
      });
    expect(admitted(0, 0, 249, 1, 0, 5000, 0, 250)).toEqual([true, false, false, true, false, true, false, true]);
  });
});

describe("the check of the caller's node", () => {
  const caller = { identity: { trustDomain: 'td', namespace: 'demo', serviceAccount: 'web' }, by: 'token' } as const;
  const id = (domain: string): string => `sidecar~10.0.0.1~web-1.demo~${domain}`;

  it.each<[string, Record<string, unknown>, string, string | undefined]>([
    ['the same', { NAMESPACE: 'demo', SERVICE_ACCOUNT: 'web' }, 'x', undefined],
    ['neither named', {}, 'x', undefined],
    ['no account named', { NAMESPACE: 'demo' }, 'x', undefined],
    ['another namespace', { NAMESPACE: 'shop' }, 'x', 'shop/'],
    ['another account', { NAMESPACE: 'demo', SERVICE_ACCOUNT: 'shop' }, 'x', 'demo/shop'],
    ['the namespace in the domain', { SERVICE_ACCOUNT: 'web' }, id('demo.svc.cluster.local'), undefined],
    ['another one in the domain', { SERVICE_ACCOUNT: 'web' }, id('shop.svc.cluster.local'), 'shop/web'],
    ['a domain without a namespace', { SERVICE_ACCOUNT: 'web' }, id('local'), undefined],
    ['metadata that is no text', { NAMESPACE: 3, SERVICE_ACCOUNT: {} }, 'x', undefined],
  ])('%s', (_what, metadata, nodeId, matched) => {
    const text = identityMismatch(caller, { id: nodeId, metadata });
    expect(text).toBe(matched && `authorization failed: no identities ([spiffe://td/ns/demo/sa/web]) matched ${matched}`);
  });
});

describe('a policy that is changed', () => {
  const own = { trustDomains: ['mesh'], keys: { keys: [] } } as const;

  it("begins with istiod's rules and the server's own keys", () => {
    expect(changedPolicy(undefined, {}, own)).toEqual({ ...authPolicy(), ...own });
  });

  it('keeps what the wish does not name, inside of clusters too', () => {
    const before = changedPolicy(undefined, { issuer: 'me', keys: 'unsigned-ok', clusters: { remote: ['a'] } }, own);
    const after = changedPolicy(before, { clusters: { own: 'b' }, texts: 'old' }, own);
    expect(after).toEqual({ ...before, clusters: { own: 'b', remote: ['a'], aliases: {} }, texts: 'old' });
    expect(changedPolicy(after, { keys: 'pki' }, own).keys).toBe(own.keys);
  });
});

describe('the guard', () => {
  function guarded(wish?: Parameters<typeof authPolicy>[0]) {
    const events: AuthEvent[] = [];
    const guard = new Guard({
      clock: manualClock(),
      policy: wish && authPolicy(wish),
      emit: (event) => events.push(event),
      matches: matchesPattern,
    });
    return { guard, events, door: new XdsDoor(guard) };
  }
  const arrival = { peer: 'p', secure: false };

  it('decides at once while nobody is asked, also where a gate is closed', () => {
    const { guard, door, events } = guarded();
    expect(door.receive(arrival)).not.toBeInstanceOf(Promise);
    guard.gates.xds.close();
    expect(door.receive(arrival)).toEqual({ code: 16, message: 'authentication failure' });
    expect(events).toEqual([{ event: 'caller.turned-away', service: 'xds', peer: 'p', reason: 'the gate is closed' }]);
  });

  it('refuses at a closed gate without asking who it is', () => {
    const { guard, door, events } = guarded({ texts: 'old' });
    guard.gates.xds.close();
    expect(door.receive(arrival)).toEqual({ code: 2, message: 'authentication failure' });
    expect(events.map(({ event }) => event)).toEqual(['caller.turned-away']);
  });

  it('counts what is too much before a gate counts its tries', () => {
    const { guard, door } = guarded();
    guard.limitRate(1);
    guard.gates.xds.close({ tries: 1 });
    const codes = [1, 2].map(() => door.receive(arrival)).map((made) => 'code' in made && made.code);
    expect(codes).toEqual([16, 8]);
  });

  it('limits xDS alone', () => {
    const { guard } = guarded();
    guard.limitRate(1);
    expect([1, 2].map(() => guard.atTheDoor('ca', 'p'))).toEqual([undefined, undefined]);
  });
});
