import { describe, expect, it } from 'vitest';
import '../../src/testing/vitest.ts';
import { belongsTo } from '../../src/testing/index.ts';
import { envoyIn, failureOf, Witness } from './witness.ts';

describe('toReachState', () => {
  it('holds once the state is reached', async () => {
    await expect(envoyIn('PRE_INITIALIZING', 'LIVE')).toReachState('LIVE');
    await expect(envoyIn('LIVE').admin).toReachState('LIVE');
  });

  it('fails with where Envoy is, its readiness, the nearest event and the last ones', async () => {
    const witness = new Witness().asked('CDS').withheld('CDS').asked('EDS');
    const envoy = envoyIn('PRE_INITIALIZING');
    belongsTo(envoy, witness);
    expect(await failureOf(expect(envoy).toReachState('LIVE', { timeoutMs: 1000 }))).toBe(
      [
        'expected Envoy to reach LIVE within 1 s, but it is PRE_INITIALIZING',
        "Envoy's /ready says 503 PRE_INITIALIZING",
        'nearest:   0.000  ⏸  CDS withheld [stream 1]',
        'last events:',
        '    0.000  →  CDS request, initial [stream 1]',
        '    0.000  ⏸  CDS withheld [stream 1]',
        '    0.000  →  EDS request, initial [stream 1]',
      ].join('\n'),
    );
  });

  it('takes the timeline from the fake istiod named, also for a mere admin client', async () => {
    const witness = new Witness().withheld('LDS');
    const wait = expect(envoyIn('INITIALIZING').admin).toReachState('LIVE', { timeoutMs: 0, istiod: witness });
    expect(await failureOf(wait)).toContain('LDS withheld');
  });

  it('under .not holds while another state lasts, and fails when it is reached', async () => {
    await expect(envoyIn('INITIALIZING')).not.toReachState('LIVE');
    expect(await failureOf(expect(envoyIn('LIVE')).not.toReachState('LIVE'))).toContain('expected Envoy not to reach LIVE within 500 ms');
  });

  it('holds in neither direction for an Envoy that cannot be asked', async () => {
    expect(await failureOf(expect(envoyIn('gone')).toReachState('LIVE'))).toContain("Envoy's /ready says nothing: nobody answers");
    expect(await failureOf(expect(envoyIn('gone')).not.toReachState('LIVE'))).toContain('it is gone');
  });

  it.each<[string, () => Promise<void>, string]>([
    ['a misspelt state', () => expect(envoyIn('LIVE')).toReachState('LIFE' as 'LIVE'), 'Did you mean "LIVE"?'],
    ['a time with a unit', () => expect(envoyIn('LIVE')).toReachState('LIVE', { timeoutMs: '5s' as never }), 'Give milliseconds'],
    ['what is no Envoy', () => expect({ a: 1 }).toReachState('LIVE'), 'toReachState is about an Envoy, and was given an object with a'],
    ['a promise', () => expect(Promise.resolve()).toReachState('LIVE'), 'was given a promise: await it first'],
    ['a fake istiod', () => expect(new Witness()).toReachState('LIVE'), 'toReachState is about an Envoy'],
    ['nothing', () => expect(undefined).not.toReachState('LIVE'), 'was given undefined'],
  ])('refuses %s', async (_, expectation, text) => {
    expect(await failureOf(expectation())).toContain(text);
  });
});

describe('toStayIn', () => {
  const { clock } = new Witness();

  it('holds for a state that lasts, looking at it until the time is over', async () => {
    const before = clock.now();
    await expect(envoyIn('INITIALIZING')).toStayIn('INITIALIZING', { forMs: 300, clock });
    expect(clock.now() - before).toBe(300);
  });

  it('fails at once when the state is left, and says when', async () => {
    const failure = await failureOf(
      expect(envoyIn('INITIALIZING', 'INITIALIZING', 'LIVE')).toStayIn('INITIALIZING', { forMs: 300, clock }),
    );
    expect(failure).toContain('expected Envoy to stay INITIALIZING for 300 ms, but it was LIVE after 50 ms');
    const early = await failureOf(expect(envoyIn('LIVE')).toStayIn('INITIALIZING', { forMs: 300, clock }));
    expect(early).toContain('but it was LIVE from the start');
  });

  it('under .not holds when the state is left, and fails when it lasts', async () => {
    await expect(envoyIn('INITIALIZING', 'LIVE')).not.toStayIn('INITIALIZING', { clock });
    expect(await failureOf(expect(envoyIn('LIVE')).not.toStayIn('LIVE', { clock }))).toContain('not to stay LIVE for 500 ms, but it did');
  });

  it('holds in neither direction for an Envoy that ends meanwhile', async () => {
    expect(await failureOf(expect(envoyIn('LIVE', 'gone')).toStayIn('LIVE', { clock }))).toBe('nobody answers');
    expect(await failureOf(expect(envoyIn('LIVE', 'gone')).not.toStayIn('LIVE', { clock }))).toBe('nobody answers');
  });
});
