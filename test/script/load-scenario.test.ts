import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { specQuirks } from '../../src/protocol/quirks.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Expectation } from '../../src/script/expectation.ts';
import { loadScenario } from '../../src/script/load.ts';
import { mutatedScenario } from '../../src/script/mutation.ts';
import { scenarioOf } from './written.ts';

async function commands(text: string) {
  return (
    await scenarioOf(`title: x\nnodes: [{ name: canary, match: { id: c }, serve: {} }]\nsteps:\n  - when: server.started\n    do: ${text}`)
  ).steps[0]?.commands;
}

async function expected(text: string): Promise<Expectation | undefined> {
  return (await scenarioOf(`title: x\nsteps: [{ name: release, when: server.started }]\nexpect:\n  - ${text}`)).expectations[0];
}

async function trigger(text: string) {
  return (await scenarioOf(`title: x\nsteps:\n  - name: a\n    when: ${text}`)).steps[0]?.when;
}

describe('a scenario file', () => {
  it('is one document: a second one is not passed over in silence', async () => {
    await expect(scenarioOf('title: a\n---\ntitle: b\n', 'two.yaml')).rejects.toThrow(
      'two.yaml:3:1: a second document begins here, and a scenario is one. Put it into a file of its own, or take --- away',
    );
    expect(await scenarioOf('---\ntitle: a\n---\n# nothing\n')).toMatchObject({ title: 'a' });
  });

  it('needs no more than a title', async () => {
    expect(await scenarioOf('title: nothing\n', 'dir/none.yaml')).toMatchObject({
      name: 'none',
      title: 'nothing',
      about: '',
      layers: [{ resources: [], types: [] }],
      withhold: [],
      istiod: { state: 'up', ready: true, quirks: { 'stale-subscription': 'ignore' } },
      envoy: { args: [], variants: ['sotw', 'delta'] },
      steps: [],
      expectations: [],
      timeoutMs: 30_000,
    });
  });

  it('is frozen through and through', async () => {
    const scenario = await scenarioOf('title: x\nsteps: [{ when: server.started, do: { release: { type: CDS, names: [a] } } }]');
    expect(Object.isFrozen(scenario)).toBe(true);
    expect(Object.isFrozen(scenario.steps[0]?.commands[0])).toBe(true);
    expect(Object.isFrozen(scenario.layers)).toBe(true);
  });

  it('says the state of istiod, the bootstrap and how Envoy is run', async () => {
    const text =
      'title: x\nistiod: { state: down, ready: false, quirks: spec }\nbootstrap: { fetch_timeout: 1.5s, ads_cluster: y, merge: { admin: null } }\nenvoy: { args: [-l, debug], variants: [delta] }\ntimeout: 1m';
    expect(await scenarioOf(text)).toMatchObject({
      istiod: { state: 'down', ready: false, quirks: specQuirks },
      bootstrap: { fetchTimeoutMs: 1500, adsCluster: 'y', merge: { admin: null } },
      envoy: { args: ['-l', 'debug'], variants: ['delta'] },
      timeoutMs: 60_000,
    });
  });

  it('serves resources under their key, with @type, or raw, and types that are empty', async () => {
    const { layers } = await scenarioOf(`
title: x
serve:
  clusters: [{ name: a, connect_timeout: 1s }]
  listeners: []
  resources:
    - { '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration, name: r }
    - { name: raw, typeUrl: type.googleapis.com/foo.Bar, base64: CgFh }
nodes:
  - match: { metadata: { NAMESPACE: demo } }
    serve: { clusters: [] }
`);
    const [base, demo] = layers;
    expect(base?.resources.map(({ typeUrl, name }) => [typeUrl, name])).toEqual([
      [TypeUrl.cluster, 'a'],
      [TypeUrl.route, 'r'],
      ['type.googleapis.com/foo.Bar', 'raw'],
    ]);
    expect(base?.types).toContain(TypeUrl.listener);
    expect(demo).toMatchObject({ node: { metadata: { NAMESPACE: 'demo' } }, resources: [], types: [TypeUrl.cluster] });
  });

  it('serves two resources of one name only on purpose', async () => {
    const { layers } = await scenarioOf(
      'title: x\nserve: { allow_duplicates: true, clusters: [{ name: a }, { name: a, connect_timeout: 2s }] }',
    );
    expect(layers[0]?.resources.map(({ name }) => name)).toEqual(['a', 'a']);
  });
});

describe('files of a scenario', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });
  function folder(files: Readonly<Record<string, string>>): string {
    const made = mkdtempSync(join(tmpdir(), 'fake-istiod-script-'));
    folders.push(made);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
    return made;
  }

  it('are looked for beside it', async () => {
    const dir = folder({ 'lab.yaml': 'title: x\nserve: { files: [cds.yaml] }', 'cds.yaml': 'clusters: [{ name: a }]' });
    expect((await loadScenario(join(dir, 'lab.yaml'))).layers[0]?.resources.map(({ name }) => name)).toEqual(['a']);
  });

  it('that are missing are named together with the place that names them', async () => {
    const dir = folder({ 'lab.yaml': 'title: x\nserve:\n  files: [gone.yaml]' });
    const file = join(dir, 'lab.yaml');
    const error = await loadScenario(file).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`${file}:3:11: serve.files[0]:`);
    expect(String(error)).toContain(join(dir, 'gone.yaml'));
  });

  it('keep their own places in errors about what they hold', async () => {
    const dir = folder({ 'lab.yaml': 'title: x\nserve: { files: [cds.yaml] }', 'cds.yaml': 'clusters:\n  - nmae: a' });
    const error = await loadScenario(join(dir, 'lab.yaml')).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`${join(dir, 'cds.yaml')}:2:5: clusters[0].nmae:`);
  });
});

describe('a trigger', () => {
  it('is an event by name alone, with its word, or with fields', async () => {
    expect(await trigger('stream.opened')).toEqual({ kind: 'event', pattern: { event: 'stream.opened', fields: {} }, nth: 1 });
    expect(await trigger('{ envoy.state-reached: LIVE }')).toMatchObject({
      pattern: { fields: { state: { kind: 'equals', value: 'LIVE' } } },
    });
    expect(await trigger('{ response.nacked: { type: clusters, nth: 2, text: /x/i, version: absent } }')).toEqual({
      kind: 'event',
      nth: 2,
      pattern: {
        event: 'response.nacked',
        typeUrl: TypeUrl.cluster,
        fields: { text: { kind: 'expression', source: 'x', flags: 'i' }, version: { kind: 'absent' } },
      },
    });
  });

  it('of several keys is all of them', async () => {
    expect(await trigger('{ server.started: {}, after: 2s }')).toEqual({
      kind: 'all',
      of: [
        { kind: 'event', pattern: { event: 'server.started', fields: {} }, nth: 1 },
        { kind: 'elapsed', afterMs: 2000, since: 'start' },
      ],
    });
  });

  it('nests all and any', async () => {
    expect(await trigger('{ any: [server.stopped, { all: [stream.closed, { after: 1m }] }] }')).toMatchObject({
      kind: 'any',
      of: [{ kind: 'event' }, { kind: 'all', of: [{ kind: 'event' }, { kind: 'elapsed', afterMs: 60_000 }] }],
    });
  });
});

describe('a command', () => {
  it('withholds and releases types, names and nodes', async () => {
    expect(await commands('{ release: CDS }')).toEqual([{ kind: 'release', rules: [{ typeUrl: TypeUrl.cluster }] }]);
    expect(await commands('{ withhold: [LDS, { type: EDS, names: [a], node: { id: x* } }] }')).toEqual([
      { kind: 'withhold', rules: [{ typeUrl: TypeUrl.listener }, { typeUrl: TypeUrl.endpoint, names: ['a'], node: { id: 'x*' } }] },
    ]);
  });

  it('publishes whole types, sets single resources and removes names, for a layer where one is named', async () => {
    const [publish, set, remove] =
      (await commands(
        '[{ publish: { listeners: [] } }, { set: { layer: canary, clusters: [{ name: a }] } }, { remove: { clusters: [b] } }]',
      )) ?? [];
    expect(publish).toEqual({ kind: 'publish', change: { replace: new Map([[TypeUrl.listener, []]]) } });
    expect(set).toMatchObject({ kind: 'publish', layer: 1, change: { set: [{ typeUrl: TypeUrl.cluster, name: 'a' }] } });
    expect(remove).toEqual({ kind: 'publish', change: { remove: new Map([[TypeUrl.cluster, ['b']]]) } });
  });

  it('delays, drops, closes and refuses', async () => {
    expect(
      await commands(
        '[{ delay: { type: CDS, by: 2s, variant: delta } }, { drop: CDS }, { drop: { type: CDS, times: 2 } }, { close: UNAVAILABLE }, { close: { code: 7, message: no, node: { id: x } } }, { refuse: { times: 2 } }, { accept: streams }]',
      ),
    ).toEqual([
      { kind: 'delay', typeUrl: TypeUrl.cluster, delayMs: 2000, streams: { variant: 'delta' } },
      { kind: 'drop', typeUrl: TypeUrl.cluster, count: 1 },
      { kind: 'drop', typeUrl: TypeUrl.cluster, count: 2 },
      { kind: 'close', status: { code: 14, message: '' } },
      { kind: 'close', status: { code: 7, message: 'no' }, streams: { node: { id: 'x' } } },
      { kind: 'refuse', status: { code: 14, message: '' }, count: 2 },
      { kind: 'accept' },
    ]);
  });

  it('stops, starts and silences the server, changes readiness, marks; several keys in their order', async () => {
    expect(await commands('[{ stop: server, mark: gone }, { start: server }, { silence: server }, { ready: false }]')).toEqual([
      { kind: 'stop-server' },
      { kind: 'mark', moment: 'gone' },
      { kind: 'start-server' },
      { kind: 'silence-server' },
      { kind: 'set-ready', ready: false },
    ]);
  });
});

describe('an expectation', () => {
  it('says what is looked at', async () => {
    const equals = (value: string | number) => ({ kind: 'equals', value });
    expect((await expected('{ state: [LIVE, DRAINING] }'))?.subject).toEqual({ kind: 'state', states: ['LIVE', 'DRAINING'] });
    expect((await expected('{ ready: 503 }'))?.subject).toEqual({ kind: 'ready', code: equals(503) });
    expect((await expected('{ stat: { a.b: ">= 1", c: absent } }'))?.subject).toEqual({
      kind: 'stats',
      stats: { 'a.b': { kind: 'compares', operator: '>=', value: 1 }, c: { kind: 'absent' } },
    });
    expect((await expected('{ agent: ready }'))?.subject).toEqual({ kind: 'agent', verdict: equals('ready') });
    expect((await expected('{ config: { type: CDS, warming: [a], lacks: [b] } }'))?.subject).toEqual({
      kind: 'config',
      typeUrl: TypeUrl.cluster,
      where: 'warming',
      has: ['a'],
      lacks: ['b'],
    });
    expect((await expected('{ dump: { a.*.b: x } }'))?.subject).toEqual({ kind: 'dump', path: 'a.*.b', value: equals('x') });
    expect((await expected('{ http: { listener: web } }'))?.subject).toEqual({
      kind: 'http',
      listener: 'web',
      path: '/',
      headers: {},
      status: equals(200),
    });
    expect((await expected('{ exit: 1 }'))?.subject).toEqual({ kind: 'exit', code: equals(1) });
    expect((await expected('{ log: /x/ }'))?.subject).toEqual({ kind: 'log', line: { kind: 'expression', source: 'x', flags: '' } });
    expect((await expected('{ request.received: { type: CDS, count: 2 } }'))?.subject).toEqual({
      kind: 'event',
      pattern: { event: 'request.received', typeUrl: TypeUrl.cluster, fields: {} },
      count: equals(2),
    });
  });

  it('says when it must hold', async () => {
    expect((await expected('{ state: LIVE }'))?.timing).toEqual({ kind: 'within', ms: 10_000 });
    expect((await expected('{ state: LIVE, within: 200ms }'))?.timing).toEqual({ kind: 'within', ms: 200 });
    expect((await expected('{ state: LIVE, within: 1s, stays: 2s }'))?.timing).toEqual({ kind: 'stays-for', withinMs: 1000, forMs: 2000 });
    expect((await expected('{ state: LIVE, stays: until release }'))?.timing).toEqual({
      kind: 'stays-until',
      withinMs: 10_000,
      moment: 'release',
    });
    expect((await expected('{ state: LIVE, never: until release }'))?.timing).toEqual({ kind: 'never-until', moment: 'release' });
    expect((await expected('{ state: LIVE, never: 2s }'))?.timing).toEqual({ kind: 'never-for', ms: 2000 });
    expect((await expected('{ state: LIVE, never: true }'))?.timing).toEqual({ kind: 'never' });
  });

  it('says from when, in which runs, and why', async () => {
    expect(await expected('{ state: LIVE, after: release, variant: delta, envoy: ">=1.38 <1.40", because: so }')).toMatchObject({
      index: 0,
      after: 'release',
      variant: 'delta',
      envoy: '>=1.38 <1.40',
      because: 'so',
      at: { file: 'lab.yaml', line: 4, column: 5 },
    });
  });
});

describe('a mutation', () => {
  const text = (replace: string) =>
    `title: x\nwithhold: CDS\nsteps: [{ name: a, when: server.started }]\nexpect: [{ state: LIVE, after: a }, { ready: 200 }]\nmutation: { what: it is broken, replace: ${replace} }`;
  const mutated = (replace: string) => mutatedScenario({ name: 'lab.yaml', bytes: new TextEncoder().encode(text(replace)) });

  it('takes a place away with null', async () => {
    expect((await mutated('{ /withhold: null }')).withhold).toEqual([]);
  });

  it('takes a member out of a list, and leaves the others', async () => {
    const { expectations } = await mutated('{ /expect/0: null }');
    expect(expectations.map(({ subject }) => subject)).toEqual([{ kind: 'ready', code: { kind: 'equals', value: 200 } }]);
  });

  it('puts a new value in a place, also where nothing stood', async () => {
    const scenario = await mutated('{ /expect/0/state: DRAINING, /timeout: 2s }');
    expect(scenario.expectations[0]?.subject).toEqual({ kind: 'state', states: ['DRAINING'] });
    expect(scenario.timeoutMs).toBe(2000);
  });

  it('is there to be made', async () => {
    const bytes = new TextEncoder().encode('title: x');
    await expect(mutatedScenario({ name: 'lab.yaml', bytes })).rejects.toThrow(
      'lab.yaml: the scenario has no mutation. Add one, with what and replace',
    );
  });
});
