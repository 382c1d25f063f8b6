import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { docker } from '../../src/envoy/docker-cli.ts';
import { pause } from '../../src/envoy/pause.ts';
import { dockerMissing, image, said } from './composed.ts';

let missing: string | undefined;
beforeAll(async () => {
  missing = await dockerMissing(false);
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
});

interface Inspected {
  readonly Size: number;
  readonly Config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Healthcheck: { readonly Test: readonly string[] };
    readonly Labels: Readonly<Record<string, string>>;
    readonly Env: readonly string[];
  };
}

async function inspected(name: string): Promise<Inspected> {
  const [found] = JSON.parse((await docker(['image', 'inspect', name])).stdout) as [Inspected];
  return found;
}

/** Starts a container of the image; gone after the test. */
async function started(options: readonly string[], args: readonly string[] = []): Promise<string> {
  const { stdout, stderr, code } = await docker(['run', '--detach', '--label', 'fake-istiod=test', ...options, image, ...args]);
  if (code !== 0) throw new Error(stderr);
  const id = stdout.trim();
  onTestFinished(async () => void (await docker(['rm', '--force', '--volumes', id])));
  return id;
}

const once = (args: readonly string[], options: readonly string[] = []) =>
  docker(['run', '--rm', '--label', 'fake-istiod=test', ...options, image, ...args]);
const stateOf = async (id: string, format: string): Promise<string> => (await docker(['inspect', '--format', format, id])).stdout.trim();

async function healthy(id: string): Promise<void> {
  for (let i = 0; (await stateOf(id, '{{.State.Health.Status}}')) !== 'healthy'; i++) {
    if (i > 150) throw new Error(`it does not become healthy: ${said(await docker(['logs', id]))}`);
    await pause(systemClock, 100);
  }
}

const soon = ['--health-interval', '1s'];

describe('the image', () => {
  it('is nobody of rights, needs no shell, and says what it is', async () => {
    const { Config } = await inspected(image);
    expect(Config.User).toBe('1000:1000');
    for (const command of [Config.Entrypoint, Config.Cmd, Config.Healthcheck.Test])
      expect(command.join(' ')).not.toMatch(/\bsh\b|CMD-SHELL/);
    expect(Config.Cmd).toEqual(['serve']);
    expect(Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'fake-istiod',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
  });

  it('adds no more than 40 MB to the Node that it stands on', async () => {
    const { Config } = await inspected(image);
    const base = Config.Labels['org.opencontainers.image.base.name'] ?? '';
    expect((await inspected(image)).Size - (await inspected(base)).Size).toBeLessThan(40_000_000);
  });

  it('serves by default on all addresses, becomes healthy, and ends at once with 0 when it is told to, being process 1', async () => {
    const id = await started(soon);
    await healthy(id);
    const log = said(await docker(['logs', id]));
    expect(log).toContain('0.0.0.0:15012');
    expect(log).toContain('0.0.0.0:15010');
    expect(log).toContain('It asks for a token');
    // A process that takes no notice would be killed after the ten seconds, and end with 137.
    expect((await docker(['stop', '--time', '10', id])).code).toBe(0);
    expect(await stateOf(id, '{{.State.ExitCode}}')).toBe('0');
  });

  it('is healthy while its scenario lets nothing listen', async () => {
    const id = await started(soon, ['serve', 'istiod-down']);
    await healthy(id);
    expect(said(await docker(['logs', id]))).toContain('in which nothing listens at first');
  });

  it('runs without writing to its own files, and without any right', async () => {
    const result = await once(['explain', 'ready'], ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything is answered') as string });
  });

  it('has the command on its PATH, for docker exec', async () => {
    const id = await started(soon);
    await healthy(id);
    expect(await docker(['exec', id, 'fake-istiod', 'healthcheck'])).toMatchObject({ code: 0, stdout: 'alive\n' });
  });

  it('finds scenarios in /scenarios by their names, and says what is not there', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, 'mine.yaml'), 'title: One of my own\nexpect:\n  - { state: LIVE, within: 5s }\n');
    mkdirSync(join(dir, 'gone.yaml'));
    const mounted = ['--volume', `${dir}:/scenarios:ro`];
    // mkdtemp gives it to nobody else, as some give their home.
    expect(await once(['serve', 'mine'], mounted)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^fake-istiod: \/scenarios cannot be read: permission denied\. Let others read it/) as string,
    });
    chmodSync(dir, 0o755);
    expect(await once(['explain', 'mine'], mounted)).toMatchObject({ code: 0, stdout: expect.stringContaining('One of my own') as string });
    expect(await once(['scenarios'], mounted)).toMatchObject({ stdout: expect.stringMatching(/^mine +One of my own$/m) as string });
    expect(await once(['serve', 'mina'], mounted)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean mine?') as string,
    });
    expect(await once(['serve', 'gone'], mounted)).toMatchObject({
      code: 2,
      stderr:
        'fake-istiod: /scenarios/gone.yaml is a folder. Docker makes one where the file that is to be mounted is not there: look at the path before the colon of -v or volumes\n',
    });
  });
});
