import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEnvoy } from '../../src/envoy/index.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { startFakeIstiod } from '../../src/index.ts';
import { cli, fakeTerminal, type FakeTerminal } from '../cli/fake-terminal.ts';
import { workFolder } from '../cli/work-folder.ts';
import { realEnvoy, wantedEnvoy } from './real-envoy.ts';

const withEnvoy = ['--envoy', wantedEnvoy];
const options = { env: process.env };

/** Starts a command line that goes on until Ctrl-C. */
function begun(argv: readonly string[]): { terminal: FakeTerminal; ended: Promise<number> } {
  const terminal = fakeTerminal(options);
  return { terminal, ended: runCommandLine(argv, terminal) };
}

/** Whether a process is still there. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The pid of the Envoy that the timeline told of. */
function pidIn(text: string): number {
  const pid = /\bpid (\d+)/.exec(text)?.[1];
  if (pid === undefined) throw new Error(`no pid in:\n${text}`);
  return Number(pid);
}

describe.concurrent('`run` with a real Envoy', () => {
  it('shows the timeline, then a table, and ends with 0', async () => {
    const { code, stdout } = await cli(['run', 'ready', '--variant', 'delta', ...withEnvoy], options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ready \(delta\): /);
    expect(stdout).toContain('●  Envoy is LIVE');
    expect(stdout).toMatch(/✓ {2}ready +delta +\d+\.\d+\.\d+ /);
  });

  it('ends with 1 and the reason when the scenario is broken', async () => {
    const { code, stdout, stderr } = await cli(['run', 'wrong-cluster-name', '--variant', 'sotw', '--mutate', ...withEnvoy], options);
    expect(code).toBe(1);
    expect(stdout).toContain('✗');
    expect(stderr).toContain('was broken on purpose');
    expect(stderr).toContain('That was noticed, as it must be.');
  });

  it('takes its certificates and token keys from the folder of --pki, and asks nobody whom the scenario does not ask', async ({
    onTestFinished,
  }) => {
    const pki = join(workFolder({}, onTestFinished), 'pki');
    const { code, stdout, stderr } = await cli(
      ['run', 'ready', 'mtls-ready', '--variant', 'delta', '--pki', pki, '--json', ...withEnvoy],
      options,
    );
    expect({ code, made: /made .*ca-cert.pem/.test(stderr) }).toEqual({ code: 0, made: true });
    expect(readdirSync(pki)).toContain('root-cert.pem');
    const { runs } = JSON.parse(stdout) as { runs: readonly { scenario: string; ok: boolean }[] };
    expect(runs.map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('puts one JSON document on stdout with --json, and nothing else', async () => {
    const { stdout } = await cli(['run', 'wrong-cluster-name', '--json', ...withEnvoy], options);
    const document = JSON.parse(stdout) as { ok: boolean; runs: readonly { variant: string; expectations: readonly unknown[] }[] };
    expect(document.ok).toBe(true);
    expect(document.runs.map(({ variant }) => variant)).toEqual(['sotw', 'delta']);
    expect(document.runs[0]?.expectations).not.toHaveLength(0);
  });

  it('writes a report folder for each of several runs', async ({ onTestFinished }) => {
    const folder = join(workFolder({}, onTestFinished), 'out');
    expect((await cli(['run', 'wrong-cluster-name', '--report', folder, ...withEnvoy], options)).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['wrong-cluster-name-delta', 'wrong-cluster-name-sotw']);
    expect(readFileSync(join(folder, 'wrong-cluster-name-sotw/envoy.log'), 'utf8')).toContain('Unknown gRPC client cluster');
  });

  it('ends with 130 on Ctrl-C in mid-run and leaves no Envoy', async () => {
    const { terminal, ended } = begun(['run', 'never-ready', '--variant', 'sotw', ...withEnvoy]);
    await terminal.until(', pid ');
    terminal.interrupt();
    expect(await ended).toBe(130);
    expect(terminal.written.stdout).toContain('called off');
    expect(lives(pidIn(terminal.written.stdout))).toBe(false);
  });

  it('stays up with --hold until Ctrl-C, and then ends with the result', async () => {
    const { terminal, ended } = begun(['run', 'ready', '--hold', ...withEnvoy]);
    await terminal.until('both stay up until Ctrl-C');
    expect(lives(pidIn(terminal.written.stdout))).toBe(true);
    expect(terminal.written.stderr).toMatch(/Envoy admin {2}http:\/\/127\.0\.0\.1:\d+\n {2}xDS {10}127\.0\.0\.1:\d+\n/);
    terminal.interrupt();
    expect(await ended).toBe(0);
    expect(lives(pidIn(terminal.written.stdout))).toBe(false);
  });

  it('says that Envoy was killed in mid-run, and ends with 1', async () => {
    const { terminal, ended } = begun(['run', 'never-ready', '--variant', 'sotw', ...withEnvoy]);
    await terminal.until(', pid ');
    process.kill(pidIn(terminal.written.stdout), 'SIGKILL');
    expect(await ended).toBe(1);
    expect(terminal.written.stdout).toMatch(/SIGKILL/);
  });

  it('takes a bootstrap of your own and aims it at itself', async ({ onTestFinished }) => {
    const file = join(workFolder({}, onTestFinished), 'mine.yaml');
    await cli(['bootstrap', '-o', file, '--node-id', 'sidecar~10.0.0.9~mine.demo~demo.svc.cluster.local']);
    const { code, stdout } = await cli(['run', 'ready', '--variant', 'delta', '--bootstrap', file, ...withEnvoy, '--json'], options);
    expect(code).toBe(0);
    expect(stdout).toContain('"node": "sidecar~10.0.0.9~mine.demo~demo.svc.cluster.local"');
  });

  it('attaches to an Envoy that runs already, in the variant that it speaks', async ({ onTestFinished }) => {
    // Only to be given a port that is free a moment later.
    const placeholder = await startFakeIstiod();
    const bootstrap = placeholder.bootstrap({ variant: 'sotw', admin: { port: 0 } });
    const { port } = placeholder;
    await placeholder.stop();
    const envoy = await startEnvoy({ bootstrap, envoy: await realEnvoy() });
    onTestFinished(() => envoy.stop());
    const { code, stdout } = await cli(['run', 'withhold-first-lds', '--envoy-admin', envoy.admin.url, '--port', String(port)], options);
    expect(stdout).toMatch(/✓ {2}withhold-first-lds +sotw /);
    expect(code).toBe(0);
    expect(await envoy.admin.state()).toBe('LIVE');
  });
});

describe('`check` and `envoy` with a real Envoy', () => {
  it('shows a bootstrap to Envoy', async () => {
    const file = join(workFolder(), 'envoy.yaml');
    await cli(['bootstrap', '-o', file]);
    const { code, stdout } = await cli(['check', file, ...withEnvoy], options);
    expect(stdout).toMatch(/envoy\.yaml: bootstrap: ok \(Envoy \d+\.\d+\.\d+ takes it\)\n$/);
    expect(code).toBe(0);
  });

  it('tells what Envoy says of one that it refuses, and where', async () => {
    const file = join(workFolder(), 'envoy.yaml');
    await cli(['bootstrap', 'wrong-cluster-name', '-o', file]);
    const { code, stdout } = await cli(['check', file, ...withEnvoy], options);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /envoy\.yaml:\d+:\d+: dynamic_resources\.ads_config\.grpc_services\[0\]\.envoy_grpc\.cluster_name: the xDS cluster ".*" is not among the static clusters/,
    );
    expect(stdout).toMatch(/Envoy \d+\.\d+\.\d+ refuses it: Unknown gRPC client cluster/);
    const validated = await cli(['envoy', 'validate', file, ...withEnvoy], options);
    expect(validated).toMatchObject({ code: 1, stdout: expect.stringContaining('Unknown gRPC client cluster') as string });
  });

  it('shows which Envoy is used', async () => {
    await realEnvoy();
    const { code, stdout } = await cli(['envoy', 'which', ...withEnvoy], options);
    expect(code).toBe(0);
    expect(existsSync(/\((.*)\)/.exec(stdout)?.[1] ?? '')).toBe(true);
  });
});
