import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../src/events.ts';
import { runScenario } from '../../src/runner/run.ts';
import type { RunOptions } from '../../src/runner/run-options.ts';
import type { Expectation } from '../../src/script/expectation.ts';
import { valueMatcher } from '../../src/script/matcher.ts';
import { stubAdmin } from '../envoy-unit/stub-admin.ts';
import type { StubAnswer } from '../envoy-unit/stub-admin.ts';
import { madeScenario } from './made-scenario.ts';

const live: Expectation = { index: 0, subject: { kind: 'state', states: ['LIVE'] }, timing: { kind: 'within', ms: 3_000 }, after: 'start' };

const dirs: string[] = [];
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true });
});
async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  dirs.push(dir);
  return dir;
}

/** An Envoy that is only an admin API: PRE_INITIALIZING for so many looks, then LIVE. */
function answersOf(looksBeforeLive: number, more: Readonly<Record<string, StubAnswer>> = {}): (path: string) => StubAnswer {
  let looks = 0;
  return (path) => {
    if (path in more) return more[path];
    if (path === '/ready') looks += 1;
    const state = looks > looksBeforeLive ? 'LIVE' : 'PRE_INITIALIZING';
    if (path === '/ready') return { code: state === 'LIVE' ? 200 : 503, body: `${state}\n` };
    return path === '/server_info'
      ? JSON.stringify({ version: '9e558093/1.40.0/Clean/RELEASE/BoringSSL', state, node: { id: 'a' } })
      : '{}';
  };
}

async function attached(answers = answersOf(3), more: Partial<RunOptions> = {}): Promise<RunOptions> {
  return { variant: 'sotw', envoy: { attach: (await stubAdmin(answers)).url }, ...more };
}

describe('a run', () => {
  it('decides the expectations by what it sees of Envoy, and puts all into one timeline', async () => {
    const told: TimelineEvent[] = [];
    const result = await runScenario(
      madeScenario({ expectations: [live] }),
      await attached(answersOf(3), { onEvent: (event) => told.push(event) }),
    );
    expect(result).toMatchObject({
      ok: true,
      envoyVersion: '1.40.0',
      interrupted: false,
      problems: [],
      expectations: [{ status: 'met', sentence: 'Envoy is LIVE within 3 s.' }],
    });
    const names = result.timeline.map(({ event }) => event);
    expect(names).toEqual([
      'server.started',
      'moment.marked',
      'envoy.started',
      'envoy.state-reached',
      'envoy.state-reached',
      'expectation.met',
    ]);
    expect(told.slice(0, names.length).map(({ event }) => event)).toEqual(names);
  });

  it('fails with the reason when its time is over', async () => {
    const result = await runScenario(madeScenario({ expectations: [live] }), await attached(answersOf(Infinity), { timeoutMs: 150 }));
    expect(result.ok).toBe(false);
    expect(result.expectations[0]?.reason).toMatch(/^the 150 ms of the run were over, and Envoy was PRE_INITIALIZING; last event: /);
  });

  it('goes on until every step has fired, though all else is decided', async () => {
    const later = { name: 'later', when: { kind: 'elapsed', afterMs: 300, since: 'start' }, commands: [], optional: false } as const;
    const result = await runScenario(madeScenario({ expectations: [live], steps: [later] }), await attached(answersOf(0)));
    expect(result).toMatchObject({ ok: true, neverFired: [] });
    expect(result.durationMs).toBeGreaterThanOrEqual(299);
  });

  it('waits for a step that should fire, and fails in English if it does not', async () => {
    const never = {
      name: 'release',
      when: { kind: 'elapsed', afterMs: 10, since: 'a-moment-that-never-comes' },
      commands: [],
      optional: false,
    } as const;
    const options = await attached(answersOf(0), { timeoutMs: 200 });
    const result = await runScenario(madeScenario({ expectations: [live], steps: [never] }), options);
    expect(result).toMatchObject({ ok: false, expectations: [{ status: 'met' }], neverFired: [{ step: 'release' }] });
    const optional = await runScenario(
      madeScenario({ expectations: [live], steps: [{ ...never, optional: true }] }),
      await attached(answersOf(0)),
    );
    expect(optional).toMatchObject({ ok: true, neverFired: [] });
  });

  it('leaves out the steps and expectations of the other variant', async () => {
    const step = {
      name: 'x',
      when: { kind: 'elapsed', afterMs: 1, since: 'nowhere' },
      commands: [],
      optional: false,
      variant: 'delta',
    } as const;
    const result = await runScenario(
      madeScenario({
        expectations: [live, { ...live, index: 1, variant: 'delta', subject: { kind: 'state', states: ['DRAINING'] } }],
        steps: [step],
      }),
      await attached(),
    );
    expect(result).toMatchObject({ ok: true, neverFired: [] });
    expect(result.expectations).toHaveLength(1);
  });

  it('says that the log of an Envoy that is not ours cannot be read', async () => {
    const log: Expectation = { ...live, subject: { kind: 'log', line: valueMatcher('/x/') } };
    const result = await runScenario(madeScenario({ expectations: [log] }), await attached());
    expect(result.expectations[0]).toMatchObject({ status: 'failed', reason: expect.stringContaining('cannot be read') as string });
  });

  it('ends at once when it is called off, before and in the middle, and decides nothing', async () => {
    const before = await runScenario(
      madeScenario({ expectations: [live] }),
      await attached(answersOf(Infinity), { signal: AbortSignal.abort() }),
    );
    expect(before).toMatchObject({ ok: false, interrupted: true, expectations: [{ status: 'undecided' }], neverFired: [] });
    const calledOff = new AbortController();
    const onEvent = (event: TimelineEvent): void => {
      if (event.event === 'envoy.state-reached') calledOff.abort();
    };
    const middle = await runScenario(
      madeScenario({ expectations: [live] }),
      await attached(answersOf(Infinity), { signal: calledOff.signal, onEvent }),
    );
    expect(middle).toMatchObject({ ok: false, interrupted: true, expectations: [{ status: 'undecided' }] });
  });

  it('stays up while it is held, and tells where both sides are', async () => {
    const options = await attached();
    let heldAt: unknown;
    const result = await runScenario(madeScenario({ expectations: [live] }), { ...options, hold: async (sides) => void (heldAt = sides) });
    expect(result.ok).toBe(true);
    expect(heldAt).toEqual({
      adminUrl: (options.envoy as { attach: string }).attach,
      xdsAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
    });
  });

  it('says at once that there is no Envoy to attach to', async () => {
    await expect(runScenario(madeScenario(), { variant: 'sotw', envoy: { attach: 'http://127.0.0.1:1' } })).rejects.toMatchObject({
      code: 'envoy.unreachable',
    });
  });
});

describe('the report', () => {
  it('holds what Envoy says, what happened, and for what could not be fetched the reason', async () => {
    const reportDir = join(await tempDir(), 'new', 'folder');
    const trouble = { code: 404, body: 'no such thing' };
    await runScenario(
      madeScenario({ expectations: [live] }),
      await attached(answersOf(0, { '/stats': 'a: 1\n', '/init_dump': trouble, '/clusters': trouble }), { reportDir }),
    );
    const text = (name: string): Promise<string> => readFile(join(reportDir, name), 'utf8');
    const files = [
      'README.md',
      'bootstrap.json',
      'clusters.json',
      'clusters.txt',
      'config_dump.json',
      'envoy.log',
      'init_dump.json',
      'listeners.json',
      'ready.txt',
      'result.json',
      'sequence.mmd',
      'server_info.json',
      'stats.txt',
      'timeline.ndjson',
    ];
    expect((await readdir(reportDir)).sort()).toEqual([...files].sort());
    expect(await text('ready.txt')).toBe('200 LIVE\n');
    expect(await text('stats.txt')).toBe('a: 1\n');
    expect(JSON.parse(await text('init_dump.json'))).toEqual({ error: '/init_dump answered 404: no such thing' });
    expect(await text('clusters.txt')).toBe('not fetched: /clusters answered 404: no such thing\n');
    const events = (await text('timeline.ndjson'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as TimelineEvent).event);
    expect(events[0]).toBe('server.started');
    expect(JSON.parse(await text('result.json'))).toMatchObject({ scenario: 'made', ok: true, variant: 'sotw' });
    expect(await text('README.md')).toContain('✓ Envoy is LIVE within 3 s.');
    for (const name of files) expect(await text('README.md')).toContain(`\`${name}\``);
  });

  it('is written of a failed run, too', async () => {
    const reportDir = await tempDir();
    await runScenario(madeScenario({ expectations: [live] }), await attached(answersOf(Infinity), { reportDir, timeoutMs: 100 }));
    expect(await readFile(join(reportDir, 'README.md'), 'utf8')).toContain('not as expected');
  });

  it('that cannot be written is an error before anything begins', async () => {
    const file = join(await tempDir(), 'file');
    await writeFile(file, '');
    await expect(runScenario(madeScenario(), await attached(answersOf(0), { reportDir: join(file, 'folder') }))).rejects.toMatchObject({
      code: 'output.unwritable',
    });
  });
});
