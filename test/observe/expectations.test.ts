import { describe, expect, it } from 'vitest';
import type { StatValue } from '../../src/envoy/index.ts';
import type { Event } from '../../src/events.ts';
import { Checks } from '../../src/observe/expectations.ts';
import type { CheckReport } from '../../src/observe/expectations.ts';
import { httpKey } from '../../src/observe/sample.ts';
import type { HttpSubject, Sample } from '../../src/observe/sample.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Expectation, Subject, Timing } from '../../src/script/expectation.ts';
import { valueMatcher } from '../../src/script/matcher.ts';
import type { EventPattern } from '../../src/script/trigger.ts';
import { at, made } from './events.ts';

const live: Subject = { kind: 'state', states: ['LIVE'] };
const preInitializing: Subject = { kind: 'state', states: ['PRE_INITIALIZING'] };
const ldsRequest: Subject = { kind: 'event', pattern: pattern('request.received', TypeUrl.listener) };

function pattern(event: EventPattern['event'], typeUrl?: string, fields: EventPattern['fields'] = {}): EventPattern {
  return { event, ...(typeUrl === undefined ? {} : { typeUrl }), fields };
}

function expectation(subject: Subject, timing: Timing, more: Partial<Expectation> = {}): Expectation {
  return { index: 0, subject, timing, after: 'start', ...more };
}

/** Expectations being fed. Each line of a test is one thing that happens; times are those of the timeline. */
function run(...expectations: readonly Expectation[]) {
  const numbered = expectations.map((one, index) => ({ ...one, index }));
  const checks = new Checks(numbered, { variant: 'sotw', envoyVersion: '1.40.0', sentence: ({ subject }) => subject.kind });
  let seq = 0;
  const world = {
    checks,
    event: (atMs: number, event: Event) => checks.event(at(atMs, event, ++seq)),
    start: (atMs = 0) => world.event(atMs, made.moment('start')),
    moment: (atMs: number, name: string) => world.event(atMs, made.moment(name)),
    sample: (startedAtMs: number, facts: Partial<Sample>, finishedAtMs = startedAtMs + 2) => checks.sample({ startedAtMs, finishedAtMs, ...facts }),
    get status() {
      return checks.reports.map(({ status }) => status);
    },
    get reason() {
      return checks.reports[0]?.reason;
    },
  };
  return world;
}

describe('an expectation within a time', () => {
  it('is met as soon as it is seen to hold, and says when', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }));
    world.start();
    expect(world.sample(100, { state: 'INITIALIZING' })).toEqual([]);
    expect(world.sample(200, { state: 'LIVE' })).toEqual<CheckReport[]>([{ index: 0, sentence: 'state', status: 'met', atMs: 202 }]);
    expect(world.sample(300, { state: 'INITIALIZING' })).toEqual([]);
  });

  it('fails when the time is over, with what was seen last and the last event', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }, { after: 'release' }));
    world.start();
    world.moment(1_000, 'release');
    world.sample(5_900, { state: 'PRE_INITIALIZING' });
    expect(world.checks.tick(6_000)).toEqual([]);
    expect(world.checks.tick(6_001)).toHaveLength(1);
    expect(world.reason).toBe('5 s after release Envoy was PRE_INITIALIZING; last event: 1.000  ▶  moment release');
  });

  it('does not count a look that was over too late', () => {
    const world = run(expectation(live, { kind: 'within', ms: 1_000 }));
    world.start();
    world.sample(999, { state: 'LIVE' }, 1_001);
    expect(world.status).toEqual(['pending']);
    world.checks.tick(1_002);
    expect(world.status).toEqual(['failed']);
  });

  it('counts from its moment: a look that began before does not matter', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }, { after: 'release' }));
    world.start();
    world.sample(100, { state: 'LIVE' });
    world.moment(1_000, 'release');
    world.sample(999, { state: 'LIVE' }, 1_010);
    expect(world.status).toEqual(['pending']);
    world.sample(1_000, { state: 'LIVE' });
    expect(world.status).toEqual(['met']);
  });

  it('says that its moment had not come', () => {
    const world = run(expectation(live, { kind: 'within', ms: 5_000 }, { after: 'release' }));
    world.start();
    world.sample(100, { state: 'LIVE' });
    world.checks.end('the 30 s of the run were over', 30_000);
    expect(world.reason).toMatch(/^the 30 s of the run were over and the moment release had not come; last event: 0.000/);
  });
});

describe('an expectation of what stays', () => {
  it('is met when the moment comes and it held all the time', () => {
    const world = run(expectation(preInitializing, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    world.start();
    world.sample(50, {});
    world.sample(100, { state: 'PRE_INITIALIZING' });
    world.sample(500, { state: 'PRE_INITIALIZING' });
    world.moment(600, 'release');
    expect(world.status).toEqual(['met']);
  });

  it('does not count a look that was not over when the moment came', () => {
    const world = run(expectation(preInitializing, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    world.start();
    world.sample(100, { state: 'PRE_INITIALIZING' });
    world.moment(600, 'release');
    world.sample(599, { state: 'LIVE' }, 640);
    expect(world.status).toEqual(['met']);
  });

  it('fails when it ceases to hold, and says since when it had', () => {
    const world = run(expectation(preInitializing, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    world.start();
    world.sample(100, { state: 'PRE_INITIALIZING' });
    world.sample(200, { state: 'INITIALIZING' });
    expect(world.reason).toMatch(/^it held from 0.102 s on, but at 0.202 s Envoy was INITIALIZING;/);
  });

  it('fails if the moment comes first, or if it does not begin in time', () => {
    const early = run(expectation(live, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    early.start();
    early.sample(100, { state: 'INITIALIZING' });
    early.moment(200, 'release');
    expect(early.reason).toMatch(/^release came while Envoy was INITIALIZING/);
    const unseen = run(expectation(live, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    unseen.start();
    unseen.moment(200, 'release');
    expect(unseen.reason).toMatch(/^release came before Envoy could be looked at once/);
    const late = run(expectation(live, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    late.start();
    late.checks.tick(1_001);
    expect(late.reason).toMatch(/^1 s after the start nothing was known of it/);
  });

  it('for a time, is met only by a look after that time', () => {
    const world = run(expectation(live, { kind: 'stays-for', withinMs: 1_000, forMs: 2_000 }));
    world.start();
    world.sample(500, { state: 'LIVE' });
    world.sample(2_400, { state: 'LIVE' });
    world.checks.tick(4_000);
    expect(world.status).toEqual(['pending']);
    world.sample(4_100, { state: 'LIVE' });
    expect(world.status).toEqual(['met']);
  });

  it('of an event that came goes on being true by itself', () => {
    const world = run(expectation(ldsRequest, { kind: 'stays-for', withinMs: 1_000, forMs: 2_000 }));
    world.start();
    world.event(500, made.request('LDS'));
    world.checks.tick(2_499);
    expect(world.status).toEqual(['pending']);
    world.checks.tick(2_500);
    expect(world.status).toEqual(['met']);
  });
});

describe('an expectation of what never is', () => {
  it('until a moment, is met by the moment: "LDS was never asked for" is one assertion', () => {
    const world = run(expectation(ldsRequest, { kind: 'never-until', moment: 'release' }));
    world.start();
    world.event(100, made.request('CDS'));
    world.moment(600, 'release');
    world.event(601, made.request('LDS'));
    expect(world.status).toEqual(['met']);
  });

  it('fails with what came', () => {
    const world = run(expectation(ldsRequest, { kind: 'never-until', moment: 'release' }));
    world.start();
    world.event(100, made.request('LDS'));
    expect(world.reason).toBe('at 0.100 s this came: 0.100  →  LDS request, initial [stream 1]');
  });

  it('proves nothing if Envoy was not looked at once before the moment', () => {
    const world = run(expectation(live, { kind: 'never-until', moment: 'release' }));
    world.start();
    world.moment(5, 'release');
    expect(world.reason).toMatch(/^release came before Envoy could be looked at once/);
  });

  it('for a time, is met by a look after that time', () => {
    const world = run(expectation(live, { kind: 'never-for', ms: 1_000 }));
    world.start();
    world.sample(500, { state: 'PRE_INITIALIZING' });
    world.checks.tick(1_500);
    expect(world.status).toEqual(['pending']);
    world.sample(1_600, { state: 'LIVE' });
    expect(world.status).toEqual(['met']);
  });

  it('of an event for a time, is met by the passing of time', () => {
    const world = run(expectation(ldsRequest, { kind: 'never-for', ms: 1_000 }));
    world.start();
    world.checks.tick(999);
    expect(world.status).toEqual(['pending']);
    world.checks.tick(1_001);
    expect(world.status).toEqual(['met']);
  });

  it('up to the end, waits for nobody and closes with the run', () => {
    const world = run(expectation(live, { kind: 'never' }), expectation(ldsRequest, { kind: 'never' }));
    world.start();
    expect(world.checks.settled).toBe(false);
    world.sample(100, { state: 'INITIALIZING' });
    expect(world.checks.settled).toBe(true);
    world.checks.end('the run was over', 200);
    expect(world.status).toEqual(['met', 'met']);
  });

  it('after a moment that never came has not been tried', () => {
    const world = run(expectation(live, { kind: 'never' }, { after: 'release' }));
    world.start();
    world.sample(100, { state: 'INITIALIZING' });
    expect(world.checks.settled).toBe(false);
    world.checks.end('the 30 s of the run were over', 30_000);
    expect(world.reason).toMatch(/moment release had not come/);
  });
});

describe('an expectation on events', () => {
  it('counts only what comes after its moment; the start counts all', () => {
    const started = run(expectation({ kind: 'event', pattern: pattern('response.acked', TypeUrl.cluster) }, { kind: 'within', ms: 1_000 }));
    started.event(0, made.acked('CDS'));
    started.start(10);
    expect(started.status).toEqual(['met']);
    const released = run(expectation({ kind: 'event', pattern: pattern('response.acked', TypeUrl.cluster) }, { kind: 'within', ms: 1_000 }, { after: 'release' }));
    released.start();
    released.event(100, made.acked('CDS'));
    released.moment(200, 'release');
    expect(released.status).toEqual(['pending']);
    released.event(300, made.acked('CDS'));
    expect(released.status).toEqual(['met']);
  });

  it('compares fields, texts with their white space made single, and names the nearest event', () => {
    const nacked: Subject = { kind: 'event', pattern: pattern('response.nacked', TypeUrl.listener, { text: valueMatcher('/unknown cluster/') }) };
    const world = run(expectation(nacked, { kind: 'within', ms: 1_000 }));
    world.start();
    world.event(100, made.nacked('LDS', 'duplicate listener'));
    world.checks.tick(1_001);
    expect(world.reason).toBe('1 s after the start no such event had come; nearest: 0.100  →  LDS NACK: duplicate listener [stream 1] (other text)');
    const good = run(expectation(nacked, { kind: 'within', ms: 1_000 }));
    good.start();
    good.event(100, made.nacked('LDS', 'route:  unknown   cluster x'));
    expect(good.status).toEqual(['met']);
  });

  it('with an exact count is decided when its time is over or the run ends, and fails at once when it is more', () => {
    const twice: Expectation = expectation({ ...ldsRequest, count: valueMatcher(2) } as Subject, { kind: 'within', ms: 1_000 });
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
      expectation({ ...ldsRequest, count: valueMatcher('>= 2') } as Subject, { kind: 'within', ms: 1_000 }),
      expectation({ ...ldsRequest, count: valueMatcher('<= 2') } as Subject, { kind: 'within', ms: 1_000 }),
    );
    world.start();
    world.event(100, made.request('LDS'));
    world.event(200, made.request('LDS'));
    expect(world.status).toEqual(['met', 'pending']);
    world.event(300, made.request('LDS'));
    expect(world.status).toEqual(['met', 'failed']);
  });
});

describe('an expectation on facts of Envoy', () => {
  const soon: Timing = { kind: 'within', ms: 1_000 };
  const stats = (...entries: readonly (readonly [string, StatValue])[]) => new Map(entries);
  const hello: HttpSubject = { kind: 'http', listener: 'l1', path: '/', headers: {}, status: valueMatcher(200), body: valueMatcher('/hello/') };
  const shut: HttpSubject = { kind: 'http', listener: 'l1', path: '/', headers: {}, refused: true };

  it.each<readonly [string, Subject, Partial<Sample>, boolean, string]>([
    ['/ready as wanted', { kind: 'ready', code: valueMatcher(503), body: valueMatcher('PRE_*') }, { ready: { code: 503, body: 'PRE_INITIALIZING' } }, true, ''],
    ['/ready with another code', { kind: 'ready', code: valueMatcher(200) }, { ready: { code: 503, body: 'INITIALIZING' } }, false, '/ready said 503 INITIALIZING'],
    ['a stat that is 0 where 0 is wanted', { kind: 'stats', stats: { a: valueMatcher(0) } }, { stats: stats(['a', 0]) }, true, ''],
    ['a stat that is 0 where none is wanted', { kind: 'stats', stats: { a: valueMatcher('>= 1'), b: { kind: 'absent' } } }, { stats: stats(['a', 1], ['b', 0]) }, false, 'b was 0'],
    ['a stat that is absent where 0 is wanted', { kind: 'stats', stats: { a: valueMatcher(0) } }, { stats: stats() }, false, 'a was absent'],
    ['pilot-agent being content', { kind: 'agent', verdict: valueMatcher('ready') }, { agentStats: stats(['cluster_manager.cds.update_success', 1]) }, false, 'pilot-agent would say: config not fully received'],
    ['a resource that is active', { kind: 'config', typeUrl: TypeUrl.cluster, where: 'active', has: ['a'], lacks: ['b'] }, { config: { configs: [{ dynamic_active_clusters: [{ cluster: { name: 'a' } }] }] } }, true, ''],
    ['a resource that is there and should not be', { kind: 'config', typeUrl: TypeUrl.cluster, where: 'any', has: [], lacks: ['a'] }, { config: { configs: [{ dynamic_warming_clusters: [{ cluster: { name: 'a' } }] }] } }, false, 'CDS resources active or warming: a'],
    ['a count of resources', { kind: 'config', typeUrl: TypeUrl.cluster, where: 'active', has: [], lacks: [], count: valueMatcher(1) }, { config: { configs: [] } }, false, 'no CDS resource was active'],
    ['a place in the dump', { kind: 'dump', path: 'configs.*.name', value: valueMatcher('b') }, { config: { configs: [{ name: 'a' }, { name: 'b' }] } }, true, ''],
    ['nothing at a place in the dump', { kind: 'dump', path: 'configs.*.x', value: valueMatcher('b') }, { config: { configs: [] } }, false, 'config_dump had nothing at configs.*.x'],
    ['an answer of a listener', hello, { http: new Map([[httpKey(hello), { kind: 'answered', status: 200, body: 'hello there' }]]) }, true, ''],
    ['another answer of a listener', hello, { http: new Map([[httpKey(hello), { kind: 'answered', status: 503, body: '' }]]) }, false, 'GET / of listener l1 gave 503'],
    ['a refused connection that is wanted', shut, { http: new Map([[httpKey(shut), { kind: 'refused' }]]) }, true, ''],
    ['a listener that is not there, which is not a refusal', shut, { http: new Map([[httpKey(shut), { kind: 'failed', reason: 'Envoy has no listener l1' }]]) }, false, 'GET / of listener l1: Envoy has no listener l1'],
  ])('judges %s', (_, subject, facts, holds, seen) => {
    const world = run(expectation(subject, soon));
    world.start();
    world.sample(10, facts);
    world.checks.tick(1_001);
    expect(world.status).toEqual([holds ? 'met' : 'failed']);
    if (!holds) expect(world.reason).toContain(`1 s after the start ${seen}`);
  });

  it('asks only for what is still undecided and whose time has come; pilot-agent probes from the start', () => {
    const world = run(
      expectation({ kind: 'ready', code: valueMatcher(503) }, soon),
      expectation({ kind: 'stats', stats: { a: valueMatcher(1), b: valueMatcher(1) } }, soon, { after: 'release' }),
      expectation({ kind: 'agent', verdict: valueMatcher('ready') }, soon, { after: 'release' }),
      expectation(hello, soon, { after: 'release' }),
      expectation({ kind: 'dump', path: 'x', value: valueMatcher('y') }, soon, { after: 'release' }),
    );
    world.start();
    expect(world.checks.needs).toEqual({ ready: true, stats: [], agent: true, config: false, http: [] });
    world.sample(10, { ready: { code: 503, body: '' } });
    world.moment(20, 'release');
    expect(world.checks.needs).toEqual({ ready: false, stats: ['a', 'b'], agent: true, config: true, http: [hello] });
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
    const world = run(expectation(exit, { kind: 'within', ms: 5_000 }), expectation(live, { kind: 'never' }), expectation(live, { kind: 'never-for', ms: 500 }), expectation({ kind: 'log', line: valueMatcher('/Unknown gRPC client cluster/') }, { kind: 'within', ms: 5_000 }));
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

describe('expectations of some runs only', () => {
  it('are left out of the others', () => {
    const all = run(expectation(live, { kind: 'never' }, { variant: 'delta' }), expectation(live, { kind: 'never' }, { envoy: '<1.40' }), expectation(live, { kind: 'never' }, { variant: 'sotw', envoy: '>=1.40' }));
    expect(all.checks.reports.map(({ index }) => index)).toEqual([2]);
  });
});

describe('a run that is over', () => {
  it('fails what is undecided, with what was seen last', () => {
    const world = run(expectation(live, { kind: 'within', ms: 60_000 }), expectation(live, { kind: 'never-until', moment: 'later' }));
    world.start();
    world.sample(100, { state: 'INITIALIZING' });
    world.checks.end('the 30 s of the run were over', 30_000);
    expect(world.checks.reports.map(({ reason }) => reason?.split(';')[0])).toEqual(['the 30 s of the run were over, and Envoy was INITIALIZING', 'the 30 s of the run were over and the moment later had not come']);
  });
});
