import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, startEnvoy } from '../../src/envoy/index.ts';
import type { EnvoyBinary } from '../../src/envoy/index.ts';
import type { EventName, TimelineEvent } from '../../src/events.ts';
import { freePort } from '../free-port.ts';
import { runScenario } from '../../src/runner/run.ts';
import type { RunOptions, RunningSides } from '../../src/runner/run-options.ts';
import { findScenario } from '../../src/script/packaged.ts';
import { loadScenario } from '../../src/script/load.ts';
import type { Scenario } from '../../src/script/scenario.ts';
import { wordsOf } from './packaged-runs.ts';
import { realEnvoy } from './real-envoy.ts';

let envoy: EnvoyBinary;
let ready: Scenario;
let withheld: Scenario;
/** The temporary directory for the code under test: what is left behind is seen in it. */
let temp: string;
let files: string;
beforeAll(async () => {
  envoy = await realEnvoy();
  ready = await loadScenario(await findScenario('ready'));
  withheld = await loadScenario(await findScenario('withhold-first-cds'));
  files = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  temp = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
});
afterAll(async () => {
  for (const dir of [files, temp]) await rm(dir, { recursive: true, force: true });
});

/** Runs with a temporary directory in which nothing may be left, and tells whether the Envoy of the run is gone. */
async function run(scenario: Scenario, options: Partial<RunOptions> = {}) {
  let pid: number | undefined;
  const onReady = (sides: RunningSides): void => {
    pid = sides.envoyPid;
    options.onReady?.(sides);
  };
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temp;
  try {
    const result = await runScenario(scenario, { variant: 'delta', envoy, ...options, onReady });
    expect(await readdir(temp)).toEqual([]);
    if (pid !== undefined) expect(groupLives(pid)).toBe(false);
    return result;
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** Whether any process of the group is left (one without a right to signal is one too). */
function groupLives(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

describe('a run whose Envoy ends', () => {
  it('fails at once with how it ended', async () => {
    const result = await run(withheld, { onReady: ({ envoyPid = 0 }) => process.kill(envoyPid, 'SIGKILL') });
    expect(result, wordsOf(result)).toMatchObject({
      ok: false,
      problems: ['Envoy was ended by SIGKILL'],
      envoyExit: { code: null, signal: 'SIGKILL' },
    });
    expect(result.expectations.find(({ sentence }) => sentence.includes('is LIVE'))?.reason).toMatch(/^Envoy was ended by SIGKILL/);
    expect(result.durationMs).toBeLessThan(withheld.timeoutMs / 2);
  });

  it('fails with Envoy’s own words where the bootstrap is one that it refuses', async () => {
    const refused = bootstrap({ variant: 'delta', merge: { no_such_field: true } });
    const result = await run(ready, { bootstrap: refused });
    expect(result.ok).toBe(false);
    expect(result.problems[0]).toMatch(/^Envoy exited with code 1: .*no_such_field/);
  });
});

describe('a run that is called off', () => {
  it.each<EventName>(['server.started', 'moment.marked', 'envoy.started', 'stream.opened', 'response.withheld'])(
    'at %s leaves no process and no file',
    async (name) => {
      const calledOff = new AbortController();
      const onEvent = ({ event }: TimelineEvent): void => {
        if (event === name) calledOff.abort();
      };
      const result = await run(withheld, { onEvent, signal: calledOff.signal });
      expect(result).toMatchObject({ ok: false, interrupted: true, neverFired: [], problems: [] });
      expect(result.timeline.map(({ event }) => event)).toContain(name);
    },
  );
});

describe("the user's own bootstrap", () => {
  it('is aimed at the run’s istiod, whatever address and admin port it has', async () => {
    const result = await run(ready, {
      bootstrap: bootstrap({ variant: 'delta', shape: 'lesson', node: { id: 'sidecar~10.9.9.9~mine.default~default.svc.cluster.local' } }),
    });
    expect(result.ok, wordsOf(result)).toBe(true);
    expect(result.timeline.find(({ event }) => event === 'request.received')).toMatchObject({
      node: 'sidecar~10.9.9.9~mine.default~default.svc.cluster.local',
    });
  });

  it('without ADS is an error that says so', async () => {
    await expect(run(ready, { bootstrap: { node: { id: 'a', cluster: 'b' } } })).rejects.toMatchObject({ code: 'bootstrap.invalid' });
    expect(await readdir(temp)).toEqual([]);
  });
});

describe('a run that attaches', () => {
  it('to an Envoy that waits for its istiod makes it LIVE and leaves it running', async () => {
    const port = await freePort();
    await using mine = await startEnvoy({ envoy, bootstrap: bootstrap({ host: '127.0.0.1', port, variant: 'sotw' }) });
    const result = await runScenario(ready, { variant: 'sotw', envoy: { attach: mine.admin.url }, port });
    expect(result.ok, wordsOf(result)).toBe(true);
    expect(result.envoyVersion).toBe(mine.version);
    expect(await mine.admin.state()).toBe('LIVE');
  });
});

describe('the report of a run', () => {
  it('is whole: both sides, Envoy’s log and what its admin API says', async () => {
    const reportDir = join(files, 'ready');
    const result = await run(ready, { reportDir });
    expect(result.ok, wordsOf(result)).toBe(true);
    const json = async (name: string): Promise<Record<string, unknown>> =>
      JSON.parse(await readFile(join(reportDir, name), 'utf8')) as Record<string, unknown>;
    expect(await json('server_info.json')).toMatchObject({ state: 'LIVE' });
    expect(await json('config_dump.json')).toHaveProperty('configs');
    expect(await json('listeners.json')).toHaveProperty('listener_statuses');
    expect(await json('clusters.json')).toHaveProperty('cluster_statuses');
    expect(await json('bootstrap.json')).toHaveProperty('dynamic_resources.ads_config');
    expect(await readFile(join(reportDir, 'ready.txt'), 'utf8')).toBe('200 LIVE\n');
    expect(await readFile(join(reportDir, 'stats.txt'), 'utf8')).toMatch(/^cluster_manager\.cds\.update_success: 1$/m);
    expect(await readFile(join(reportDir, 'envoy.log'), 'utf8')).toContain('[');
    expect(await readFile(join(reportDir, 'sequence.mmd'), 'utf8')).toMatch(/E->>I: .* CDS request/);
  });

  it('of an Envoy that exited says so in place of what could not be asked', async () => {
    const reportDir = join(files, 'exited');
    const wrong = await loadScenario(await findScenario('wrong-cluster-name'));
    const result = await run(wrong, { reportDir });
    expect(result.ok, wordsOf(result)).toBe(true);
    expect(await readFile(join(reportDir, 'ready.txt'), 'utf8')).toMatch(
      /^not fetched: Envoy exited with code 1: .*Unknown gRPC client cluster/,
    );
    expect(await readFile(join(reportDir, 'envoy.log'), 'utf8')).toContain('Unknown gRPC client cluster');
  });
});
