import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
// Commands load what they do when they are given; here before a test's time begins.
import '../../src/cli/action/ctl-verify.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { startFakeIstiod } from '../../src/index.ts';
import { stubAdmin } from '../envoy-unit/stub-admin.ts';
import { freePort } from '../free-port.ts';
import { cli, fakeTerminal } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const scenarioText = (state: string): string =>
  `title: Envoy is ${state}\nexpect:\n  - { state: ${state}, within: 300ms }\n  - { log: /gone/, within: 1s }\ntimeout: 5s\n`;

/** A fake istiod that plays a file, and an Envoy that is only an admin API and LIVE. */
async function lab(text = scenarioText('LIVE')) {
  const folder = workFolder({ 'mine.yaml': text });
  const file = join(folder, 'mine.yaml');
  const istiod = await startFakeIstiod({ scenario: file, control: {} });
  onTestFinished(() => istiod.stop());
  const admin = await stubAdmin((path) => {
    if (path === '/ready') return 'LIVE\n';
    if (path.startsWith('/config_dump')) return '{"configs": []}';
    return path === '/server_info'
      ? JSON.stringify({ version: '9e558093/1.40.0/Clean/RELEASE/BoringSSL', state: 'LIVE', node: { id: 'a' } })
      : '{}';
  });
  const env = { FAKE_ISTIOD_CONTROL: istiod.control?.url ?? '' };
  const verifying = (url: string, wait = '2s') => ['ctl', 'verify', file, '--envoy-admin', url, '--wait', wait];
  return { folder, istiod, env, adminUrl: admin.url, verifying, argv: verifying(admin.url) };
}

// A report is made with all descriptors, which take their time to load.
describe('ctl verify', { timeout: 30_000 }, () => {
  it('ends with 0, what it saw and what it could not look at', async () => {
    const { env, argv, folder } = await lab();
    const outcome = await cli([...argv, '--ready-file', join(folder, 'watching'), '--report', join(folder, 'out')], { env });
    expect(outcome.stdout).toMatch(/^istiod is followed; the Envoy at http:\S+ is waited for\.\n/);
    expect(outcome.stdout).toMatch(
      /mine: Envoy is LIVE\n[^]*Envoy is LIVE[^]*not looked at: [^\n]*Envoy's log is not to be had here[^]*1 of 1/,
    );
    expect(outcome.stderr).toContain(`Report: ${join(folder, 'out')}`);
    expect(outcome.code).toBe(0);
    expect(readFileSync(join(folder, 'watching'), 'utf8')).toContain('followed');
    expect(existsSync(join(folder, 'out'))).toBe(true);
  });

  it('ends with 1 and the reason where something else comes', async () => {
    const { env, argv } = await lab(scenarioText('PRE_INITIALIZING'));
    const outcome = await cli(argv, { env });
    expect(outcome.stdout).toMatch(/✗ .*PRE_INITIALIZING[^]*0 of 1/);
    expect(outcome.code).toBe(1);
    const told = JSON.parse((await cli([...argv, '--json'], { env })).stdout) as { readonly runs: readonly unknown[] };
    expect(told).toMatchObject({ ok: false });
  });

  it('says that istiod plays another one', async () => {
    const { env, argv, istiod } = await lab();
    await istiod.play('ready');
    expect((await cli(argv, { env })).stderr).toContain('istiod plays ready, not mine.');
  });

  it('says what is wrong with its input, or that nobody is there', async () => {
    const { env, argv, istiod, folder, adminUrl, verifying } = await lab();
    const unknown = await cli(['ctl', 'verify', 'redy'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('ready') as string]);
    const unwritable = await cli([...argv, '--ready-file', join(folder, 'no', 'file')], { env });
    expect([unwritable.code, unwritable.stderr]).toEqual([3, expect.stringContaining('cannot be written') as string]);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const noEnvoy = await cli(verifying(nobody, '300ms'), { env });
    expect([noEnvoy.code, noEnvoy.stderr]).toEqual([3, expect.stringContaining(nobody) as string]);
    await istiod.stop();
    const noIstiod = await cli(verifying(adminUrl, '300ms'), { env });
    expect([noIstiod.code, noIstiod.stderr]).toEqual([3, expect.stringContaining('no control API answers at') as string]);
  });

  it('ends with 130 when it is called off', async () => {
    const { env, argv } = await lab('title: waits\nexpect:\n  - { state: LIVE, within: 20s, stays: 20s }\ntimeout: 60s\n');
    const terminal = fakeTerminal({ env });
    const ended = runCommandLine(argv, terminal);
    await terminal.until('mine: waits');
    terminal.interrupt();
    expect(await ended).toBe(130);
  });
});
