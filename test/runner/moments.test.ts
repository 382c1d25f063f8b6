import { describe, expect, it } from 'vitest';
import type { AdminClient } from '../../src/envoy/index.ts';
import type { TimelineEvent } from '../../src/events.ts';
import { MomentKeeper } from '../../src/runner/moments.ts';
import { systemClock } from '../../src/clock.ts';

/** An admin API that counts looks and says one state. */
function admin(state: () => string): { readonly client: AdminClient; readonly looked: (times: number) => Promise<void> } {
  let looks = 0;
  const waits = new Set<() => void>();
  const answer = { code: 503, body: '' };
  const client = {
    get: (path: string) => Promise.resolve(path === '/ready' ? { code: 503, body: `${state()}\n` } : { ...answer, code: 200, body: '{}' }),
    ready: () => {
      looks += 1;
      waits.forEach((wake) => wake());
      return Promise.resolve({ code: 503, body: state() });
    },
  } as unknown as AdminClient;
  const looked = (times: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        if (looks < times) return;
        waits.delete(wake);
        resolve();
      };
      waits.add(wake);
      wake();
    });
  return { client, looked };
}

const event = (fields: object): TimelineEvent => ({ seq: 1, atMs: 1, ...fields }) as TimelineEvent;

describe('the moments of a run', () => {
  it('are the last look before a step fired, and none where nothing was seen since the last', async () => {
    const keeper = new MomentKeeper({ clock: systemClock, nowMs: () => 7 });
    const envoy = admin(() => 'PRE_INITIALIZING');
    keeper.event(event({ event: 'envoy.state-reached', state: 'PRE_INITIALIZING', seq: 4 }));
    keeper.follow(envoy.client);
    await envoy.looked(2);
    keeper.event(event({ event: 'step.fired', step: 'release', sentence: '', seq: 9 }));
    keeper.event(event({ event: 'step.fired', step: 'again', sentence: '', seq: 10 }));
    await keeper.stop();
    expect(keeper.moments.map(({ name, seq, atMs }) => [name, seq, atMs])).toEqual([['before step release', 4, 7]]);
  });

  it('are, before a state is left, also of a look during which a step fired, where there is no other', async () => {
    const keeper = new MomentKeeper({ clock: systemClock, nowMs: () => 7 });
    let fire: () => void = () => undefined;
    const fired = new Promise<void>((resolve) => (fire = resolve));
    const envoy = admin(() => (fire(), 'PRE_INITIALIZING'));
    keeper.event(event({ event: 'envoy.state-reached', state: 'PRE_INITIALIZING', seq: 4 }));
    keeper.follow(envoy.client);
    await fired;
    keeper.event(event({ event: 'step.fired', step: 'release', sentence: '', seq: 9 }));
    await envoy.looked(2);
    keeper.event(event({ event: 'step.fired', step: 'again', sentence: '', seq: 10 }));
    keeper.event(event({ event: 'envoy.state-reached', state: 'INITIALIZING', seq: 11 }));
    keeper.event(event({ event: 'envoy.state-reached', state: 'LIVE', seq: 12 }));
    await keeper.stop();
    expect(keeper.moments.map(({ name, seq }) => [name, seq])).toEqual([['before INITIALIZING', 4]]);
  });

  it('are not of a look in which Envoy was in another state than the timeline tells', async () => {
    const keeper = new MomentKeeper({ clock: systemClock, nowMs: () => 7 });
    const envoy = admin(() => 'LIVE');
    keeper.event(event({ event: 'envoy.state-reached', state: 'PRE_INITIALIZING' }));
    keeper.follow(envoy.client);
    await envoy.looked(2);
    keeper.event(event({ event: 'step.fired', step: 'release', sentence: '' }));
    await keeper.stop();
    expect(keeper.moments).toEqual([]);
  });
});
