import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { docker } from '../../src/envoy/docker-cli.ts';
import { realEnvoy } from '../envoy/real-envoy.ts';
import { normalisedOutput } from '../example-output.ts';
import { dockerMissing, image } from './composed.ts';

/*
 * The examples in other languages, as a stranger has them: a copy of the folder, elsewhere. Each has a part that is broken on purpose, and
 * beside it what a person then reads. After a wanted change: UPDATE_GOLDEN=1 npx vitest run --project docker test/docker/examples.test.ts,
 * and read the diff.
 */
const update = process.env['UPDATE_GOLDEN'] === '1';
const limitMs = 10 * 60_000;

interface Example {
  readonly folder: string;
  /** Of all containers and networks that it makes. */
  readonly label: string;
  /** The tool that a machine must have, and how it is asked. */
  readonly tool: readonly [string, ...string[]];
  /** Brings what the example needs from others. What fails here is no fault of ours. */
  readonly fetch?: (folder: string) => string;
  /** Words of a run that could not fetch what it needed. */
  readonly unfetched?: RegExp;
  readonly test: string;
  readonly passed: RegExp;
  readonly broken: string;
}

/** An environment of Python for these requirements, kept for the next time. */
function pythonFolder(requirements: string): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'fake-istiod', `example-python-${createHash('sha256').update(requirements).digest('hex').slice(0, 12)}`);
}

const python = pythonFolder(await readFile('examples/python/requirements.txt', 'utf8'));
const examples: Readonly<Record<string, Example>> = {
  Go: {
    folder: 'go',
    label: 'org.testcontainers.lang=go',
    tool: ['go', 'version'],
    fetch: () => 'go mod download',
    test: 'go test -v ./...',
    passed: /(--- PASS[\s\S]*){3}/,
    broken: 'go test -tags broken -run Broken ./...',
  },
  Java: {
    folder: 'java',
    label: 'org.testcontainers.lang=java',
    tool: ['mvn', '--version'],
    unfetched: /Could not (transfer|resolve)|could not be resolved/,
    test: 'mvn --batch-mode test',
    passed: /Tests run: 3, Failures: 0, Errors: 0, Skipped: 0/,
    broken: 'mvn --batch-mode --quiet -Pbroken test',
  },
  Python: {
    folder: 'python',
    label: 'org.testcontainers.lang=python',
    tool: ['python3', '--version'],
    fetch: () =>
      existsSync(join(python, 'complete'))
        ? 'true'
        : `python3 -m venv ${python} && ${python}/bin/pip install --quiet --requirement requirements.txt && touch ${python}/complete`,
    test: `${python}/bin/pytest -p no:cacheprovider`,
    passed: /3 passed/,
    broken: `${python}/bin/pytest -p no:cacheprovider broken`,
  },
  shell: {
    folder: 'shell',
    label: 'fake-istiod-example',
    tool: ['curl', '--version'],
    test: './readiness.sh',
    passed: /^1\.\.3\n(ok .*\n){3}$/,
    broken: './broken.sh',
  },
};

/** Testcontainers in a container takes the daemon for one outside of it; that this one runs inside it has to be told. */
async function nearDaemon(): Promise<Readonly<Record<string, string>>> {
  if (process.env['TESTCONTAINERS_HOST_OVERRIDE'] !== undefined || !existsSync('/.dockerenv')) return {};
  const { stdout } = await docker(['info', '--format', '{{.Name}}']);
  return stdout.trim() === hostname() ? { TESTCONTAINERS_HOST_OVERRIDE: 'localhost' } : {};
}

/** Runs a command in a folder. Its two outputs are one, as in a terminal. */
async function run(
  command: string,
  folder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  // What this vitest tells its children is not for another program.
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|FORCE_COLOR|CI$|BUILD_NUMBER$)/.test(name)),
  );
  const child = spawn('bash', ['-c', `{ ${command}; } 2>&1`], {
    cwd: folder,
    env: {
      ...own,
      ...(await nearDaemon()),
      FAKE_ISTIOD_IMAGE: image,
      TESTCONTAINERS_RYUK_DISABLED: 'true',
      NO_COLOR: '1',
      COLUMNS: '80',
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text: Buffer.concat(pieces).toString() };
}

/** A copy of an example, gone after the test. */
async function copyOf({ folder }: Example): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'fake-istiod-example-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await cp(join('examples', folder), copy, { recursive: true, filter: (source) => !/\/(target|__pycache__|\.pytest_cache)$/.test(source) });
  return copy;
}

/** Runs a part of an example; or gives the reason why that cannot be here. */
async function runPart(
  example: Example,
  part: 'test' | 'broken',
): Promise<{ readonly code: number | null; readonly text: string } | string> {
  const [tool, ...args] = example.tool;
  if (spawnSync(tool, args).status !== 0) return `there is no ${tool} here`;
  const copy = await copyOf(example);
  if (example.fetch) {
    const fetched = await run(example.fetch(copy), copy);
    if (fetched.code !== 0) return `what it needs is not to be had: ${fetched.text.trim().split('\n').slice(-3).join(' ')}`;
  }
  const ended = await run(example[part], copy);
  return example.unfetched?.test(ended.text) ? `what it needs is not to be had: ${ended.text.slice(-500)}` : ended;
}

/** Containers and networks with a label. */
async function labelled(label: string): Promise<readonly string[]> {
  const filter = ['--quiet', '--filter', `label=${label}`];
  const lists = await Promise.all([docker(['ps', '--all', ...filter]), docker(['network', 'ls', ...filter])]);
  return lists.flatMap(({ stdout }) => stdout.split('\n').filter((id) => id !== ''));
}

let missing: string | undefined;
const earlier = new Map<string, readonly string[]>();
beforeAll(async () => {
  missing = await dockerMissing(false);
  if (missing !== undefined) return;
  for (const { label } of Object.values(examples)) earlier.set(label, await labelled(label));
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
});

describe.each(Object.entries(examples))('The example for %s', (language, example) => {
  it('is green', { timeout: limitMs }, async ({ skip }) => {
    const ended = await runPart(example, 'test');
    if (typeof ended === 'string') return told(skip, language, ended);
    expect(ended.code, ended.text).toBe(0);
    expect(ended.text).toMatch(example.passed);
  });

  it('broken on purpose fails with the text that stands beside it', { timeout: limitMs }, async ({ skip }) => {
    const ended = await runPart(example, 'broken');
    if (typeof ended === 'string') return told(skip, language, ended);
    expect(ended.code, ended.text).toBe(1);
    const file = join('examples', example.folder, 'broken.txt');
    if (update) await writeFile(file, normalisedOutput(ended.text));
    expect(normalisedOutput(ended.text)).toBe(await readFile(file, 'utf8'));
  });

  // Those of somebody else's tests in the same language go, too, if one waits.
  it('leaves no container and no network', async () => {
    const ours = async (): Promise<readonly string[]> =>
      (await labelled(example.label)).filter((id) => !earlier.get(example.label)?.includes(id));
    await expect.poll(ours, { timeout: 30_000, interval: 500 }).toEqual([]);
  });
});

describe('The example for a shell without Docker', () => {
  it('is green', { timeout: limitMs }, async ({ skip }) => {
    const envoy = await realEnvoy();
    if (envoy.kind !== 'binary') return skip('the Envoy under test is a container');
    const example = examples['shell']!;
    const copy = await copyOf(example);
    await mkdir(join(copy, 'bin'));
    await symlink(join(process.cwd(), 'dist/bin/fake-istiod.js'), join(copy, 'bin/fake-istiod'));
    const path = [join(copy, 'bin'), dirname(envoy.path), process.env['PATH']].join(delimiter);
    const { code, text } = await run(example.test, copy, { WITHOUT_DOCKER: '1', PATH: path, DOCKER_HOST: 'tcp://127.0.0.1:1' });
    expect(code, text).toBe(0);
    expect(text).toMatch(example.passed);
  });
});

/** Skips, and says why where everybody sees it. */
function told(skip: (note: string) => never, language: string, reason: string): never {
  process.stdout.write(`skipped, the example for ${language}: ${reason}\n`);
  return skip(reason);
}
