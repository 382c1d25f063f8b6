import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/script/scenario.ts';
import { url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

function step(name: string, when: Step['when'], ...commands: Step['commands']): Step {
  return { name, when, commands, optional: false };
}

const firstRequest: Step['when'] = { kind: 'event', nth: 1, pattern: { event: 'request.received', typeUrl: url('CDS'), fields: {} } };
const release = { kind: 'release', rules: [{ typeUrl: url('CDS') }] } as const;

/** Lets microtasks run. */
const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};

describe('A step', () => {
  it('fires after everything that its cause brought about is done', async () => {
    const stage = new Stage(
      { CDS: { a: '1' } },
      { steps: [step('poison', firstRequest, { kind: 'publish', change: { replace: new Map([[url('CDS'), []]]) } })] },
    );
    await stage.start();
    const client = stage.connect();
    client.ask('CDS');
    expect(client.told).toEqual(['CDS a=1']);
    await turn();
    expect(client.told).toEqual(['CDS a=1', 'CDS']);
    const order = stage.events
      .map(({ event }) => event)
      .filter((event) => ['request.received', 'response.sent', 'step.fired', 'command.performed', 'snapshot.published'].includes(event));
    expect(order).toEqual(['request.received', 'response.sent', 'step.fired', 'command.performed', 'snapshot.published', 'response.sent']);
  });

  it('lets another step fire by its name as a moment', async () => {
    const steps = [
      step(
        'second',
        { kind: 'event', nth: 1, pattern: { event: 'moment.marked', fields: { moment: { kind: 'equals', value: 'first' } } } },
        { kind: 'mark', moment: 'done' },
      ),
      step('first', firstRequest),
    ];
    const stage = new Stage({}, { steps });
    await stage.start();
    stage.connect().ask('CDS');
    await turn();
    expect(stage.eventsOf('step.fired').map((event) => event.step)).toEqual(['first', 'second']);
    expect(stage.plane.neverFired).toEqual([]);
  });

  it('that waits for some time counts from the start of the server, not from when it was made', async () => {
    const stage = new Stage({ CDS: { a: '1' } }, { steps: [step('later', { kind: 'elapsed', afterMs: 1000, since: 'start' }, release)] });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    stage.clock.advance(5000);
    await stage.start();
    const client = stage.connect();
    client.ask('CDS');
    stage.clock.advance(999);
    expect(client.told).toEqual([]);
    stage.clock.advance(1);
    await turn();
    expect(client.told).toEqual(['CDS a=1']);
  });

  it('knows the node behind a stream by all its parts', async () => {
    const pattern = { event: 'stream.closed', node: { metadata: { NAMESPACE: 'demo' } }, fields: {} } as const;
    const stage = new Stage({}, { steps: [step('gone', { kind: 'event', nth: 1, pattern })] });
    await stage.start();
    const client = stage.connect();
    client.ask('CDS');
    client.leave();
    await turn();
    expect(stage.eventsOf('step.fired')).toHaveLength(1);
  });

  it('that never fired is told, and none fires after the stop', async () => {
    const stage = new Stage({}, { steps: [step('never', firstRequest), { ...step('maybe', firstRequest), optional: true }] });
    await stage.start();
    expect(stage.plane.waitingSteps).toEqual(['never', 'maybe']);
    expect(stage.plane.neverFired.map((unfired) => unfired.step)).toEqual(['never']);
    await stage.plane.stop();
    stage.connect().ask('CDS');
    await turn();
    expect(stage.eventsOf('step.fired')).toEqual([]);
  });
});

describe('A command', () => {
  it('that withholds one node and releases it again leaves the others alone', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    const [one, two] = [stage.connect('sotw', 'one'), stage.connect('delta', 'two')];
    one.ask('CDS');
    two.ask('CDS');
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS'), node: { id: 'one' } }] });
    expect([one.told, two.told]).toEqual([['CDS a=1'], []]);
    stage.perform(release);
    expect([one.told, two.told]).toEqual([['CDS a=1'], ['CDS a=1']]);
  });

  it('given by a listener in the middle of a publish reaches every stream in order', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const [one, two] = [stage.connect('sotw', 'one'), stage.connect('sotw', 'two')];
    one.ask('CDS');
    two.ask('CDS');
    let again = true;
    stage.on(({ event }) => {
      if (event !== 'response.sent' || !again) return;
      again = false;
      stage.publish({ CDS: { a: '3' } });
    });
    stage.publish({ CDS: { a: '2' } });
    expect([one.told, two.told]).toEqual([
      ['CDS a=1', 'CDS a=2', 'CDS a=3'],
      ['CDS a=1', 'CDS a=3'],
    ]);
  });

  it('moves the server, one move after the other, and says when that fails', async () => {
    const stage = new Stage();
    await stage.start(true);
    stage.perform({ kind: 'silence-server' });
    stage.perform({ kind: 'stop-server' });
    stage.perform({ kind: 'start-server' });
    await stage.plane.stop();
    expect(stage.server.calls).toEqual(['start', 'silence', 'stop', 'unsilence', 'start', 'error port taken', 'stop']);
  });

  it('is told in English, but for a mark, which is a moment', () => {
    const stage = new Stage();
    stage.perform(release);
    stage.perform({ kind: 'mark', moment: 'noon' });
    expect(stage.events.map(({ event }) => event)).toEqual(['command.performed', 'moment.marked']);
  });
});
