import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { startIstiods } from '../../src/runner/run-istiods.ts';
import { scenarioOf } from '../script/written.ts';

const text = `title: t
istiods:
  - { name: old, steps: [{ name: gone, when: { envoy.state-reached: LIVE }, do: { stop: server } }] }
  - { name: new, istiod: { state: down }, steps: [{ name: here, when: { moment.marked: gone }, do: { start: server } }] }
`;

describe('Several istiods of a run', () => {
  it('have one timeline, in which each event says whose it is and what all are told stands once', async () => {
    const istiods = await startIstiods(await scenarioOf(text), { port: 0, clock: systemClock, pki: undefined });
    onTestFinished(() => istiods.stop());
    const { side } = istiods;
    const here = new Promise<void>((resolve) =>
      side.on((event) => event.event === 'server.started' && event.istiod === 'new' && resolve()),
    );
    side.mark('start');
    side.report({ event: 'envoy.state-reached', state: 'LIVE' });
    await here;
    const told = side.events.map(({ event, istiod, ...more }) =>
      [event, istiod ?? '', 'moment' in more ? more.moment : ''].join(' ').trim(),
    );
    expect(told.filter((line) => line.startsWith('envoy.') || line.startsWith('moment.'))).toEqual([
      'moment.marked  start',
      'envoy.state-reached',
      'moment.marked  gone',
      'moment.marked  here',
    ]);
    expect(told.filter((line) => line.startsWith('server.')).sort()).toEqual([
      'server.started new',
      'server.started old',
      'server.stopped old',
    ]);
    expect(side.events.map(({ seq }) => seq)).toEqual(side.events.map((_, i) => i + 1));
    expect(side.neverFired).toEqual([]);
  });

  it('are asked in the order of the list, or in the one that an Envoy wishes', async () => {
    const istiods = await startIstiods(await scenarioOf(text), { port: 0, clock: systemClock, pki: undefined });
    onTestFinished(() => istiods.stop());
    const plain = istiods.askedBy({});
    const turned = istiods.askedBy({ istiods: ['new', 'old'] });
    expect(turned.istiod.port).toBe(plain.standby[0]?.port);
    expect(turned.standby).toEqual([{ host: plain.istiod.host, port: plain.istiod.port }]);
    expect(istiods.askedBy({ istiods: ['old'] }).standby).toEqual([]);
  });
});
