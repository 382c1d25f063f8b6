import { describe, expect, it } from 'vitest';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Expectation, Subject } from '../../src/script/expectation.ts';
import { valueMatcher } from '../../src/script/matcher.ts';
import { made } from './events.ts';
import { expectation, ldsRequest, live, pattern, run } from './expectation-run.ts';

describe('an expectation on events', () => {
  it('counts only what comes after its moment; the start counts all', () => {
    const started = run(expectation({ kind: 'event', pattern: pattern('response.acked', TypeUrl.cluster) }, { kind: 'within', ms: 1_000 }));
    started.event(0, made.acked('CDS'));
    started.start(10);
    expect(started.status).toEqual(['met']);
    const released = run(
      expectation(
        { kind: 'event', pattern: pattern('response.acked', TypeUrl.cluster) },
        { kind: 'within', ms: 1_000 },
        { after: 'release' },
      ),
    );
    released.start();
    released.event(100, made.acked('CDS'));
    released.moment(200, 'release');
    expect(released.status).toEqual(['pending']);
    released.event(300, made.acked('CDS'));
    expect(released.status).toEqual(['met']);
  });

  it('compares fields, texts with their white space made single, and names the nearest event', () => {
    const nacked: Subject = {
      kind: 'event',
      pattern: pattern('response.nacked', TypeUrl.listener, { text: valueMatcher('/unknown cluster/') }),
    };
    const world = run(expectation(nacked, { kind: 'within', ms: 1_000 }));
    world.start();
    world.event(100, made.nacked('LDS', 'duplicate listener'));
    world.checks.tick(1_001);
    expect(world.reason).toBe(
      '1 s after the start no such event had come; nearest: 0.100  →  LDS NACK: duplicate listener [stream 1] (other text)',
    );
    const good = run(expectation(nacked, { kind: 'within', ms: 1_000 }));
    good.start();
    good.event(100, made.nacked('LDS', 'route:  unknown   cluster x'));
    expect(good.status).toEqual(['met']);
  });

  it('with an exact count is decided when its time is over or the run ends, and fails at once when it is more', () => {
    const twice: Expectation = expectation({ ...ldsRequest, count: valueMatcher(2) }, { kind: 'within', ms: 1_000 });
    const world = run(twice);
    world.start();
    world.event(100, made.request('LDS'));
    expect(world.checks.settled).toBe(false);
    world.event(200, made.request('LDS'));
    expect([world.status, world.checks.settled]).toEqual([['pending'], true]);
    world.checks.tick(1_001);
    expect(world.status).toEqual(['met']);
    const thrice = run(twice);
    thrice.start();
    for (const ms of [100, 200, 300]) thrice.event(ms, made.request('LDS'));
    expect(thrice.reason).toMatch(/^it came 3 times/);
  });

  it('with a lower bound is met as soon as it is reached, with an upper one at the end', () => {
    const world = run(
      expectation({ ...ldsRequest, count: valueMatcher('>= 2') }, { kind: 'within', ms: 1_000 }),
      expectation({ ...ldsRequest, count: valueMatcher('<= 2') }, { kind: 'within', ms: 1_000 }),
    );
    world.start();
    world.event(100, made.request('LDS'));
    world.event(200, made.request('LDS'));
    expect(world.status).toEqual(['met', 'pending']);
    world.event(300, made.request('LDS'));
    expect(world.status).toEqual(['met', 'failed']);
  });
});

describe('when Envoy ends', () => {
  const exit: Subject = { kind: 'exit', code: valueMatcher(1) };

  it('what is still to be seen of it fails at once with why it ended', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }), expectation(live, { kind: 'never' }));
    world.start();
    world.sample(100, { state: 'INITIALIZING' });
    world.event(200, made.exited({ signal: 'SIGKILL' }));
    world.checks.envoyGone('Envoy was ended by SIGKILL', 200);
    expect(world.status).toEqual(['failed', 'failed']);
    expect(world.reason).toMatch(/^Envoy was ended by SIGKILL/);
  });

  it('as the scenario wants it, what must never be seen of it is over', () => {
    const world = run(
      expectation(exit, { kind: 'within', ms: 5_000 }),
      expectation(live, { kind: 'never' }),
      expectation(live, { kind: 'never-for', ms: 500 }),
      expectation({ kind: 'log', line: valueMatcher('/Unknown gRPC client cluster/') }, { kind: 'within', ms: 5_000 }),
    );
    world.start();
    expect(world.checks.expectsExit).toBe(true);
    world.checks.line("Unknown gRPC  client cluster 'xds-typo'", 90);
    world.event(100, made.exited({ code: 1 }));
    world.checks.envoyGone('Envoy exited with code 1', 100);
    world.checks.tick(501);
    expect(world.checks.settled).toBe(true);
    world.checks.end('the run was over', 501);
    expect(world.status).toEqual(['met', 'met', 'met', 'met']);
  });

  it('with another code, that expectation fails at once', () => {
    const world = run(expectation(exit, { kind: 'within', ms: 5_000 }));
    world.start();
    world.event(100, made.exited({ code: 139 }));
    expect(world.reason).toMatch(/^Envoy exited with code 139/);
  });

  it('what counts from a later moment fails when that moment comes', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }, { after: 'release' }));
    world.start();
    world.checks.envoyGone('Envoy exited with code 1', 100);
    expect(world.status).toEqual(['failed']);
  });
});
