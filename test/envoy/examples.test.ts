import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { normalisedOutput } from '../example-output.ts';
import { realEnvoy } from './real-envoy.ts';

/*
 * The examples as a stranger has them: a copy beside an installed package. Each has a test that is broken on purpose, and beside it what a
 * person then reads. After a wanted change: UPDATE_GOLDEN=1 npx vitest run --project envoy test/envoy/examples.test.ts, and read the diff.
 */
const update = process.env['UPDATE_GOLDEN'] === '1';

interface Ended {
  readonly code: number | null;
  /** Both outputs, without colours. */
  readonly text: string;
}

const commands = {
  vitest: (part: string) => ['node_modules/vitest/vitest.mjs', 'run', '--dir', part],
  jest: (part: string) => ['node_modules/jest/bin/jest.js', '--roots', `./${part}`],
};
type Example = keyof typeof commands;

/** Runs a part of an example in a copy of it, in which this package is installed. */
async function run(example: Example, part: 'test' | 'broken'): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-example-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join('examples', example), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  const root = process.cwd();
  await symlink(root, join(folder, 'node_modules/fake-istiod'));
  await symlink(join(root, 'node_modules', example), join(folder, 'node_modules', example));
  const envoy = await realEnvoy();
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', ...(envoy.kind === 'binary' ? { ENVOY_BIN: envoy.path } : {}) };
  // What this very vitest tells its children is not for another one.
  for (const name of Object.keys(env)) if (/^(VITEST|JEST|VITE|TEST|NODE_ENV|MODE|DEV|PROD|SSR|FORCE_COLOR)/.test(name)) delete env[name];
  const child = spawn(process.execPath, commands[example](part), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const text = Buffer.concat(pieces).toString();
  return { code, text: text.replace(/\x1b\[[0-9;]*m/g, '') }; // eslint-disable-line no-control-regex -- colours
}

describe.each(['vitest', 'jest'] as const)('The %s example', (example) => {
  it('is green', async () => {
    const { code, text } = await run(example, 'test');
    expect(code, text).toBe(0);
    expect(text).toMatch(/Tests:? +[45] passed/);
  });

  it('broken on purpose fails with the text that stands beside it', async () => {
    const { code, text } = await run(example, 'broken');
    expect(code, text).toBe(1);
    const file = join('examples', example, 'broken/broken.txt');
    if (update) await writeFile(file, normalisedOutput(text, 'sorted'));
    expect(normalisedOutput(text, 'sorted')).toBe(await readFile(file, 'utf8'));
  });
});
