import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { shellCommand } from '../../src/envoy/leftovers.ts';

/** A program that has a child (in a group of its own, on the same stdout) and a directory, tells them, and goes on as its argument says. */
const program = `
  import { spawn } from 'node:child_process';
  import { guardGroup } from '${join(import.meta.dirname, '../../src/envoy/process-group.ts')}';
  import { makeWorkDir } from '${join(import.meta.dirname, '../../src/envoy/work-dir.ts')}';
  const dir = makeWorkDir("it's a test");
  const child = spawn('sleep', ['60'], { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
  const guard = guardGroup(child.pid);
  console.log(JSON.stringify({ dir: dir.path }));
  const what = process.argv[2];
  if (what === 'exit') process.exit(3);
  if (what === 'stay') setInterval(() => undefined, 1000);
  if (what === 'end') child.unref();
  if (what === 'release') { child.kill(); child.on('exit', async () => { await guard.release(); await dir.remove(); }); }
`;

let folder: string;
let script: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  script = join(folder, 'program.mjs');
  await writeFile(join(folder, 'program.ts'), program);
  buildSync({ entryPoints: [join(folder, 'program.ts')], outfile: script, bundle: true, platform: 'node', format: 'esm' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Run {
  readonly parent: ChildProcess;
  readonly dir: string;
  /** The shared stdout is closed: neither the program nor its child is left. */
  readonly allGone: Promise<void>;
  readonly code: Promise<number | null>;
}

async function run(what: string): Promise<Run> {
  const parent = spawn(process.execPath, [script, what], { stdio: ['ignore', 'pipe', 'inherit'] });
  const allGone = new Promise<void>((resolve) => parent.stdout.once('close', () => resolve()));
  const code = new Promise<number | null>((resolve) => parent.once('exit', (exit) => resolve(exit)));
  let text = '';
  const told = new Promise<string>((resolve) => {
    parent.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const dir = /\{"dir":(".*")\}/.exec(text)?.[1];
      if (dir !== undefined) resolve(JSON.parse(dir) as string);
    });
  });
  return { parent, dir: await told, allGone, code };
}

describe('what must not outlive the program', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const)('is cleared away when %s ends it', async (signal) => {
    const { parent, dir, allGone } = await run('stay');
    expect(existsSync(dir)).toBe(true);
    parent.kill(signal);
    await allGone;
    await vi.waitFor(() => expect(existsSync(dir)).toBe(false));
  });

  it.each([
    ['exit', 3],
    ['end', 0],
  ] as const)('is cleared away when it comes to its %s', async (what, exitCode) => {
    const { dir, allGone, code } = await run(what);
    await allGone;
    expect(await code).toBe(exitCode);
    await vi.waitFor(() => expect(existsSync(dir)).toBe(false));
  });

  it('does not keep it, once released', async () => {
    const { dir, code } = await run('release');
    expect(await code).toBe(0);
    expect(existsSync(dir)).toBe(false);
  });
});

describe('a command for the shell', () => {
  it('keeps each word one word', () => {
    expect(shellCommand('rm', "it's $HOME")).toBe(`'rm' 'it'\\''s $HOME'`);
  });
});
