import { readdir, readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, envoyVersion, launchEnvoy, parseEnvoyLogLine, startEnvoy, validateBootstrap } from '../../src/envoy/index.ts';
import type { EnvoyBinary, LaunchedEnvoy } from '../../src/envoy/index.ts';
import { realEnvoy } from './real-envoy.ts';

/** Port 1 of loopback: nobody listens there. */
const nowhere = { host: '127.0.0.1', port: 1 } as const;

let envoy: EnvoyBinary;
/** Holds the tests' own files. */
let files: string;
/** The temporary directory for the code under test: what is left behind is seen in it. */
let temp: string;
let tempBefore: string | undefined;
beforeAll(async () => {
  envoy = await realEnvoy();
  files = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  temp = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  tempBefore = process.env['TMPDIR'];
  process.env['TMPDIR'] = temp;
}, 300_000);
afterAll(async () => {
  if (tempBefore === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = tempBefore;
  for (const dir of [files, temp]) await rm(dir, { recursive: true, force: true });
});

const running: LaunchedEnvoy[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

/** Whether any process of the group is left (one without a right to signal is one too). */
function groupLives(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

describe('a bootstrap that a real Envoy judges', () => {
  it.each(['sotw', 'delta'] as const)('is good, for %s and both shapes, with and without TLS', async (variant) => {
    const tls = { rootCert: rootCertificates[0] ?? '' };
    const initialMetadata = { clusterid: 'Kubernetes' };
    for (const options of [{ shape: 'lab' }, { shape: 'lesson', initialMetadata }, { tls }] as const) {
      const verdict = await validateBootstrap({ bootstrap: bootstrap({ variant, ...options }), envoy });
      expect(verdict).toMatchObject({ ok: true, exitCode: 0, reasons: [] });
      expect(verdict.output.at(-1)).toMatch(/^configuration '.*' OK$/);
    }
  });

  it('is refused when ADS names a cluster that is not there', async () => {
    const verdict = await validateBootstrap({ bootstrap: bootstrap({ adsCluster: 'istiod-xds' }), envoy });
    expect(verdict).toMatchObject({ ok: false, exitCode: 1 });
    expect(verdict.reasons.join()).toContain("Unknown gRPC client cluster 'istiod-xds'");
  });

  it('may be a file in YAML, with arguments of pilot-agent’s', async () => {
    const file = join(files, 'own.yaml');
    await writeFile(file, 'node: {id: a, cluster: b}\nno_such_field: 1\n');
    expect(await validateBootstrap({ bootstrap: file, envoy })).toMatchObject({ ok: false });
    expect(await validateBootstrap({ bootstrap: file, envoy, args: ['--allow-unknown-static-fields'] })).toMatchObject({ ok: true });
  });
});

describe('a real Envoy without a control plane', () => {
  it('stays PRE_INITIALIZING, says so on /ready, and tells why when LIVE is awaited', async () => {
    const logFile = join(files, 'envoy.log');
    const child = await startEnvoy({ bootstrap: bootstrap(nowhere), envoy, logFile });
    try {
      expect(await child.admin.serverInfo()).toMatchObject({ state: 'PRE_INITIALIZING', version: envoy.version, nodeId: child.nodeId });
      expect(child.nodeId).toBe('sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local');
      expect(await child.admin.ready()).toEqual({ code: 503, body: 'PRE_INITIALIZING' });
      expect(await child.admin.stat('control_plane.connected_state')).toBe(0);
      expect(await child.admin.stat('no.such.stat')).toBeUndefined();
      await expect(child.admin.awaitState('LIVE', { timeoutMs: 150 })).rejects.toMatchObject({
        code: 'wait.timed-out',
        message: expect.stringMatching(
          /^Envoy was not LIVE within 0\.15 s: it is PRE_INITIALIZING; \/ready says 503 PRE_INITIALIZING; .*control_plane\.connected_state 0/,
        ),
      });
      const closed = child.log.map(parseEnvoyLogLine).find((line) => line?.text.includes('gRPC config stream to xds-grpc closed'));
      expect(closed?.text).toContain('closed: 14, ');
      expect(await readdir(temp)).toHaveLength(1);
    } finally {
      await child.stop();
    }
    expect(groupLives(child.pid)).toBe(false);
    expect(child.exit).toEqual({ code: 0, signal: null });
    expect(await readFile(logFile, 'utf8')).toContain('cm init: initializing cds');
    expect(await readdir(temp)).toEqual([]);
    await child.stop();
    await expect(child.admin.state()).rejects.toMatchObject({ code: 'envoy.exited', message: expect.stringContaining('has been stopped') });
  });

  it('tells its clusters, its own configuration and its bound listeners', async () => {
    await using child = await startEnvoy({ bootstrap: bootstrap({ ...nowhere, variant: 'sotw' }), envoy });
    expect(await child.admin.clusters()).toMatchObject([
      { name: 'xds-grpc', addedViaApi: false, hosts: [{ address: { host: '127.0.0.1', port: 1 } }] },
    ]);
    expect(await child.admin.configDump({ mask: 'bootstrap.node.id' })).toHaveProperty('configs');
    expect([...(await child.admin.listeners())]).toEqual([]);
  });

  it('says that it has been ended when something kills it, in a wait too', async () => {
    const child = await startEnvoy({ bootstrap: bootstrap(nowhere), envoy });
    const wait = child.admin.awaitState('LIVE');
    process.kill(child.pid, 'SIGKILL');
    await expect(wait).rejects.toMatchObject({ code: 'envoy.exited' });
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await child.stop();
    expect(await readdir(temp)).toEqual([]);
  });

  it('lives beside others', async () => {
    const several = await Promise.all([1, 2, 3].map(() => startEnvoy({ bootstrap: bootstrap(nowhere), envoy })));
    expect(new Set(several.map(({ admin }) => admin.url)).size).toBe(3);
    await Promise.all(several.map((each) => each.stop()));
  });

  it('may have its admin API on a Unix socket', async ({ skip }) => {
    if (envoy.kind === 'docker') return skip('the socket would be inside the container');
    const socketPath = join(files, 'admin');
    await using child = await startEnvoy({ bootstrap: bootstrap({ ...nowhere, admin: { socketPath } }), envoy });
    expect(child.admin.url).toBe(`unix:${socketPath}`);
    expect(await child.admin.state()).toBe('PRE_INITIALIZING');
  });
});

describe('an Envoy that ends at once', () => {
  const broken = bootstrap({ ...nowhere, adsCluster: 'istiod-xds' });

  it('is an error with Envoy’s own words where it was to be started', async () => {
    await expect(startEnvoy({ bootstrap: broken, envoy })).rejects.toMatchObject({
      code: 'envoy.exited',
      exitCode: 3,
      message: expect.stringMatching(/exited with code 1: Unknown gRPC client cluster 'istiod-xds'\. /),
    });
    expect(await readdir(temp)).toEqual([]);
  });

  it('is a result where it was only launched', async () => {
    const child = await launchEnvoy({ bootstrap: broken, envoy });
    running.push(child);
    expect(await child.startup).toMatchObject({ kind: 'exited', error: { code: 'envoy.exited' } });
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(child.exit).toEqual({ code: 1, signal: null });
    expect(child.log.join('\n')).toContain("Unknown gRPC client cluster 'istiod-xds'");
  });
});

describe('an Envoy that stays mute', () => {
  it('is told from one that runs', async () => {
    const child = await launchEnvoy({ bootstrap: bootstrap({ ...nowhere, merge: { admin: null } }), envoy, startTimeoutMs: 200 });
    running.push(child);
    expect(await child.startup).toMatchObject({
      kind: 'timed-out',
      error: { code: 'envoy.start-failed', message: expect.stringContaining('admin address') },
    });
  });
});

describe('a bootstrap file that is not there', () => {
  it('is the user’s error, before anything is started', async () => {
    await expect(startEnvoy({ bootstrap: join(files, 'none.yaml'), envoy })).rejects.toMatchObject({
      code: 'input.unreadable',
      exitCode: 2,
    });
    expect(await readdir(temp)).toEqual([]);
  });
});

describe('the Envoy under test', () => {
  it('is of the version that it was found as', async ({ skip }) => {
    if (envoy.kind !== 'binary') return skip('a Docker image was asked for its version when it was found');
    expect(await envoyVersion(envoy.path)).toBe(envoy.version);
  });
});
