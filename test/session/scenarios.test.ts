import { describe, expect, it } from 'vitest';
import { istiodQuirks } from '../../src/protocol/quirks.ts';
import type { IdentityCommand } from '../../src/script/command.ts';
import { scenarioOfResources } from '../../src/script/scenario-of-resources.ts';
import type { Scenario, Step } from '../../src/script/scenario.ts';
import type { Beginning } from '../../src/session/beginning.ts';
import { resource, url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

const turn = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};
const release: Step = {
  name: 'let go',
  when: { kind: 'event', nth: 1, pattern: { event: 'request.received', typeUrl: url('LDS'), fields: {} } },
  commands: [{ kind: 'release', rules: [{ typeUrl: url('CDS') }] }],
  optional: false,
};
function beginning(more: Partial<Scenario> = {}, identity: readonly IdentityCommand[] = []): Beginning {
  const scenario: Scenario = {
    ...scenarioOfResources('next', [resource('CDS', 'b', '1')]),
    withhold: [{ typeUrl: url('CDS') }],
    steps: [release],
    ...more,
  };
  return { scenario, quirks: istiodQuirks, layers: scenario.layers, identity };
}

describe('Another scenario', () => {
  it('serves what is its own, in force being what it says, and its steps begin', async () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } }, { steps: [{ ...release, name: 'never' }] });
    await stage.start();
    const client = stage.connect('delta');
    client.ask('CDS');
    stage.perform({ kind: 'drop', typeUrl: url('CDS'), count: 5 });
    stage.plane.begin(beginning(), 'play next');
    // Withheld by the new rules before anything of the new content could slip out.
    expect(client.told).toEqual(['CDS a=1']);
    expect(stage.plane.rules.map(({ id, sentence }) => [id, sentence])).toEqual([['withhold-2', 'withhold CDS']]);
    expect(stage.plane.scenario?.name).toBe('next');
    client.ask('LDS');
    await turn();
    expect(client.told).toEqual(['CDS a=1', 'LDS', 'CDS b=1 -a']);
    expect(stage.plane.steps).toMatchObject([{ name: 'let go', state: 'fired', firedAtMs: 0 }]);
    expect(stage.eventsOf('command.performed')[1]?.sentence).toBe('play next');
    expect(stage.eventsOf('step.fired').map(({ step }) => step)).toEqual(['let go']);
  });

  it('sends what the one before withheld, as it is now', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    const client = stage.connect();
    client.ask('CDS');
    stage.plane.begin(beginning({ withhold: [] }), 'play next');
    expect(client.told).toEqual(['CDS b=1']);
  });

  it('begins with who gets in and how the server is, too', async () => {
    const stage = new Stage();
    await stage.start();
    stage.perform({ kind: 'tls', preset: 'expired' });
    const down = { state: 'down', ready: false, quirks: istiodQuirks } as const;
    stage.plane.begin(beginning({ istiod: down, withhold: [] }, [{ kind: 'rate-limit', perSecond: 2 }]), 'play next');
    expect(stage.plane.rules.map(({ id }) => id)).toEqual(['rate-limit', 'ready', 'server']);
    expect(stage.plane.sessions.ready).toBe(false);
    await stage.plane.stop();
    expect(stage.server.calls).toEqual(['start', 'presentTls "expired"', 'presentTls "ok"', 'limitRate 2', 'stop', 'stop']);
  });

  it.each([
    ['down', 'silent', ['unsilence', 'start', 'silence']],
    ['down', 'up', ['unsilence', 'start']],
    ['silent', 'down', ['stop']],
    ['silent', 'up', ['unsilence', 'start']],
    ['down', 'down', ['stop']],
  ] as const)('finds the server %s and leaves it %s', async (before, after, calls) => {
    const stage = new Stage();
    await stage.start();
    stage.perform({ kind: before === 'down' ? 'stop-server' : 'silence-server' });
    await turn();
    stage.server.calls.length = 0;
    stage.plane.begin(beginning({ istiod: { state: after, ready: true, quirks: istiodQuirks } }), 'play next');
    await stage.plane.stop();
    expect(stage.server.calls).toEqual([...calls, 'stop']);
    const kinds = { up: [], down: ['stop-server'], silent: ['silence-server'] };
    expect(stage.plane.rules.flatMap(({ id, command }) => (id === 'server' ? [command.kind] : []))).toEqual(kinds[after]);
  });

  it('speaks as it says from its beginning on', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect('delta');
    client.ask('CDS');
    expect(client.received[0]?.resources[0]?.version).toBeUndefined();
    stage.plane.begin({ ...beginning({ withhold: [] }), quirks: { ...istiodQuirks, 'resource-version': 'content' } }, 'play next');
    expect(client.received[1]?.resources[0]?.version).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('A reset', () => {
  it('is the scenario from its beginning: content, rules, steps', async () => {
    const stage = new Stage();
    await stage.start();
    stage.plane.begin(beginning(), 'play next');
    const client = stage.connect('delta');
    client.ask('CDS');
    client.ask('LDS');
    await turn();
    stage.publish({ CDS: { c: '1' } });
    stage.plane.publishTo({ id: 'x' }, { set: [resource('CDS', 'd', '1')] });
    stage.plane.reset();
    expect(client.told).toEqual(['LDS', 'CDS b=1', 'CDS c=1 -b']);
    expect(stage.plane.rules.map(({ sentence }) => sentence)).toEqual(['withhold CDS']);
    expect(stage.plane.steps).toMatchObject([{ state: 'waiting', waitsFor: expect.stringContaining('nothing like it came') as string }]);
    expect(stage.plane.snapshot('x').types[0]?.resources.map(({ name }) => name)).toEqual(['b']);
    expect(stage.eventsOf('moment.marked').filter(({ moment }) => moment === 'start')).toHaveLength(2);
    client.ask('LDS', ['l']);
    await turn();
    expect(client.told.at(-1)).toBe('CDS b=1 -c');
  });

  it('tells nothing to a client that has it already', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect('sotw');
    client.ask('CDS');
    stage.plane.reset();
    expect(client.told).toEqual(['CDS a=1']);
    expect(stage.eventsOf('snapshot.published')).toMatchObject([{ types: [], names: [], removed: [] }]);
  });
});

describe('A stopped scenario', () => {
  it('leaves all as it is, and its steps never fire', async () => {
    const stage = new Stage({ CDS: { a: '1' } }, { steps: [release] });
    await stage.start();
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    stage.plane.stopScenario();
    const client = stage.connect();
    client.ask('CDS');
    client.ask('LDS');
    await turn();
    expect(client.told).toEqual(['LDS']);
    expect(stage.plane.steps).toMatchObject([{ name: 'let go', state: 'never fired', optional: false }]);
    expect(stage.eventsOf('command.performed').at(-1)?.sentence).toBe('stop stage');
  });
});

describe('A publish', () => {
  it('is known by its version later on, the first content too', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const first = stage.plane.published(undefined);
    expect(first).toMatchObject({ sequence: 1, published: [url('CDS')], changed: [url('CDS')] });
    const { version } = stage.publish({ LDS: { l: '1' } });
    expect(stage.plane.published(version)).toMatchObject({ version, changed: [url('LDS')] });
    for (let i = 0; i < 999; i++) stage.publish({});
    expect(stage.plane.published(first?.version)).toBeUndefined();
    expect(stage.plane.published(version)?.sequence).toBe(2);
  });
});
