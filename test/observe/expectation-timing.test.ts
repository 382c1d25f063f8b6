import { describe, expect, it } from 'vitest';
import type { CheckReport } from '../../src/observe/expectations.ts';
import { made } from './events.ts';
import { expectation, ldsRequest, live, preInitializing, run } from './expectation-run.ts';

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
    const tardy = run(expectation(live, { kind: 'stays-until', withinMs: 1_000, moment: 'release' }));
    tardy.start();
    tardy.sample(1_100, { state: 'LIVE' });
    tardy.moment(1_200, 'release');
    expect(tardy.status).toEqual(['failed']);
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

describe('expectations of some runs only', () => {
  it('are left out of the others', () => {
    const all = run(
      expectation(live, { kind: 'never' }, { variant: 'delta' }),
      expectation(live, { kind: 'never' }, { envoy: '<1.40' }),
      expectation(live, { kind: 'never' }, { variant: 'sotw', envoy: '>=1.40' }),
    );
    expect(all.checks.reports.map(({ index }) => index)).toEqual([2]);
  });
});

describe('a run that is over', () => {
  it('fails what is undecided, with what was seen last', () => {
    const world = run(expectation(live, { kind: 'within', ms: 60_000 }), expectation(live, { kind: 'never-until', moment: 'later' }));
    world.start();
    world.sample(100, { state: 'INITIALIZING' });
    world.checks.end('the 30 s of the run were over', 30_000);
    expect(world.checks.reports.map(({ reason }) => reason?.split(';')[0])).toEqual([
      'the 30 s of the run were over, and Envoy was INITIALIZING',
      'the 30 s of the run were over and the moment later had not come',
    ]);
  });
});
