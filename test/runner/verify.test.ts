import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeIstiodError } from '../../src/errors.ts';
import { startFakeIstiod } from '../../src/index.ts';
import { FollowedFile } from '../../src/runner/followed-file.ts';
import { verifyScenario } from '../../src/runner/verify.ts';
import type { VerifyOptions } from '../../src/runner/verify.ts';
import type { Expectation } from '../../src/script/expectation.ts';
import { valueMatcher } from '../../src/script/matcher.ts';
import type { Scenario } from '../../src/script/scenario.ts';
import { systemClock } from '../../src/clock.ts';
import { stubAdmin } from '../envoy-unit/stub-admin.ts';
import type { StubAnswer } from '../envoy-unit/stub-admin.ts';
import { freePort } from '../free-port.ts';
import { delayedIstiod } from './delayed-istiod.ts';
import { madeScenario } from './made-scenario.ts';

const state = (states: Extract<Expectation['subject'], { kind: 'state' }>['states'], more: Partial<Expectation> = {}): Expectation => ({
  index: 0,
  subject: { kind: 'state', states },
  timing: { kind: 'within', ms: 3_000 },
  after: 'start',
  ...more,
});
const logs: Expectation = {
  index: 1,
  subject: { kind: 'log', line: valueMatcher('/gone/') },
  timing: { kind: 'within', ms: 3_000 },
  after: 'start',
};

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An Envoy that is only an admin API, in the state that `current` says. */
function answersOf(current: () => string): (path: string) => StubAnswer {
  return (path) => {
    if (path === '/ready') return { code: current() === 'LIVE' ? 200 : 503, body: `${current()}\n` };
    return path === '/server_info'
      ? JSON.stringify({ version: '9e558093/1.40.0/Clean/RELEASE/BoringSSL', state: current(), node: { id: 'a' } })
      : '{}';
  };
}

/** A scenario that an istiod plays, and how it is looked at from outside. `current` says in which state the Envoy is, given what has happened. */
async function played(parts: Partial<Scenario>, current: (moments: readonly string[]) => string, lateMs = 20) {
  const scenario = madeScenario(parts);
  const istiod = await startFakeIstiod({ scenario });
  onTestFinished(() => istiod.stop());
  const moments = (): string[] => istiod.timeline.events.flatMap((event) => (event.event === 'moment.marked' ? [event.moment] : []));
  const { url } = await stubAdmin(answersOf(() => current(moments())));
  const options: VerifyOptions = { istiod: delayedIstiod(istiod, lateMs), adminUrl: url, variant: () => Promise.resolve('delta') };
  return { scenario, istiod, options };
}

const always = { commands: [], optional: false } as const;
const seen = {
  ...always,
  name: 'seen',
  when: { kind: 'event', pattern: { event: 'envoy.started', fields: {} }, nth: 1 },
} as const;
const release = { ...always, name: 'release', when: { kind: 'elapsed', afterMs: 300, since: 'seen' } } as const;

describe('a scenario that is looked at from outside', () => {
  it('is decided as in a run, however late what happens at istiod is told', async () => {
    const stays = state(['PRE_INITIALIZING'], { timing: { kind: 'stays-until', withinMs: 2_000, moment: 'release' } });
    const after = state(['LIVE'], { index: 1, after: 'release' });
    // Envoy is LIVE at the very instant of the release, 50 ms before that is heard of.
    const { scenario, options } = await played(
      { expectations: [stays, after], steps: [seen, release] },
      (moments) => (moments.includes('release') ? 'LIVE' : 'PRE_INITIALIZING'),
      50,
    );
    const result = await verifyScenario(scenario, options);
    expect(result?.expectations.map(({ status, reason }) => [status, reason])).toEqual([
      ['met', undefined],
      ['met', undefined],
    ]);
    expect(result).toMatchObject({ ok: true, variant: 'delta', envoyVersion: '1.40.0', neverFired: [], unseen: [] });
  });

  it('fails with the reason as soon as it cannot come true any more', async () => {
    const stays = state(['PRE_INITIALIZING'], { timing: { kind: 'stays-until', withinMs: 2_000, moment: 'release' } });
    const { scenario, options } = await played({ expectations: [stays], steps: [seen, release] }, (moments) =>
      moments.includes('start') ? 'LIVE' : 'PRE_INITIALIZING',
    );
    const result = await verifyScenario(scenario, options);
    expect(result?.ok).toBe(false);
    expect(result?.expectations[0]?.reason).toMatch(/^release came while Envoy was LIVE/);
  });

  it('tells istiod what is seen of Envoy, so that steps can wait for it', async () => {
    const step = {
      name: 'seen',
      when: { kind: 'event', pattern: { event: 'envoy.state-reached', fields: { state: valueMatcher('LIVE') } }, nth: 1 },
      commands: [],
      optional: false,
    } as const;
    const { scenario, options, istiod } = await played({ expectations: [state(['LIVE'])], steps: [step] }, () => 'LIVE');
    expect(await verifyScenario(scenario, options)).toMatchObject({ ok: true, neverFired: [] });
    const names = istiod.timeline.events.map(({ event }) => event);
    expect(names).toEqual(expect.arrayContaining(['envoy.started', 'envoy.state-reached', 'step.fired', 'expectation.met']));
  });

  it('says which steps never fired, but for those of the other variant', async () => {
    const never = {
      when: { kind: 'event', pattern: { event: 'stream.opened', fields: {} }, nth: 1 },
      commands: [],
      optional: false,
    } as const;
    const steps = [
      { ...never, name: 'mine' },
      { ...never, name: 'of others', variant: 'sotw' as const },
    ];
    const { scenario, options } = await played({ expectations: [state(['LIVE'])], steps }, () => 'LIVE');
    const result = await verifyScenario(scenario, { ...options, timeoutMs: 300 });
    expect(result?.ok).toBe(false);
    expect(result?.neverFired.map(({ step }) => step)).toEqual(['mine']);
  });

  it('leaves out what cannot be seen from outside, and says so', async () => {
    const { scenario, options } = await played({ expectations: [state(['LIVE']), logs] }, () => 'LIVE');
    expect(await verifyScenario(scenario, options)).toMatchObject({
      ok: true,
      expectations: [{ index: 0 }],
      unseen: [{ index: 1, reason: "Envoy's log is not to be had here" }],
    });
  });

  it("reads Envoy's log where there is one", async () => {
    const file = join(tempDir(), 'envoy.log');
    const { scenario, options } = await played({ expectations: [logs] }, () => 'LIVE');
    const looking = verifyScenario(scenario, { ...options, envoyLog: file });
    writeFileSync(file, '[2026-01-01 00:00:00.000][1][warning][config] [a.cc:1] it is gone\n');
    expect(await looking).toMatchObject({ ok: true, unseen: [], expectations: [{ status: 'met' }] });
  });

  it('does not take the start of an earlier run for its own', async () => {
    const { scenario, options, istiod } = await played(
      { expectations: [state(['LIVE'], { timing: { kind: 'within', ms: 200 } })] },
      () => 'LIVE',
    );
    istiod.mark('start');
    await new Promise((resolve) => systemClock.after(250, () => resolve(undefined)));
    expect(await verifyScenario(scenario, options)).toMatchObject({ ok: true });
  });

  it('writes a report', async () => {
    const dir = join(tempDir(), 'out');
    const { scenario, options } = await played({ expectations: [state(['LIVE'])] }, () => 'LIVE');
    expect(await verifyScenario(scenario, { ...options, reportDir: dir })).toMatchObject({ reportDir: dir });
    expect(readdirSync(dir)).toEqual(expect.arrayContaining(['timeline.ndjson', 'result.json', 'config_dump.json', 'README.md']));
    expect(readFileSync(join(dir, 'timeline.ndjson'), 'utf8')).toContain('"envoy.state-reached"');
  });
});

describe('what keeps a look from outside from taking place', () => {
  it('is an Envoy that never answers', async () => {
    const { scenario, options } = await played({ expectations: [state(['LIVE'])] }, () => 'LIVE');
    const adminUrl = `http://127.0.0.1:${await freePort()}`;
    await expect(verifyScenario(scenario, { ...options, adminUrl, waitMs: 100 })).rejects.toMatchObject({
      code: 'envoy.unreachable',
      message: expect.stringMatching(/^no Envoy answered at .* within 100 ms: /) as string,
    });
  });

  it('is an istiod that goes away meanwhile', async () => {
    const { scenario, options } = await played({ expectations: [state(['DRAINING'])] }, () => 'LIVE');
    const gone = new FakeIstiodError('control.unreachable', 'nobody answers');
    let looks = 0;
    const istiod = { ...options.istiod, look: () => (looks++ < 5 ? options.istiod.look() : Promise.reject(gone)) };
    await expect(verifyScenario(scenario, { ...options, istiod })).rejects.toBe(gone);
  });

  it('is a scenario whose Envoy is to end', async () => {
    const exits: Expectation = { ...logs, subject: { kind: 'exit', code: valueMatcher(1) } };
    const { scenario, options } = await played({ expectations: [exits] }, () => 'LIVE');
    await expect(verifyScenario(scenario, options)).rejects.toMatchObject({ code: 'usage.invalid' });
  });

  it('is whoever calls it off while Envoy is waited for', async () => {
    const { scenario, options } = await played({ expectations: [state(['LIVE'])] }, () => 'LIVE');
    const adminUrl = `http://127.0.0.1:${await freePort()}`;
    expect(await verifyScenario(scenario, { ...options, adminUrl, signal: AbortSignal.timeout(50) })).toBeUndefined();
  });
});

describe('a file that somebody else writes', () => {
  it('is read from its beginning, line by line, anew where it was cut', async () => {
    const file = join(tempDir(), 'envoy.log');
    const lines: string[] = [];
    let came = (): void => undefined;
    const until = async (count: number): Promise<void> => {
      while (lines.length < count) await new Promise<void>((resolve) => (came = resolve));
    };
    const followed = new FollowedFile(file, { clock: systemClock, onLine: (line) => (lines.push(line), came()) });
    writeFileSync(file, 'one\ntw');
    await until(1);
    appendFileSync(file, 'o\n');
    await until(2);
    writeFileSync(file, '3\n');
    await until(3);
    appendFileSync(file, 'four\nfi');
    await followed.stop();
    expect(lines).toEqual(['one', 'two', '3', 'four']);
  });
});
