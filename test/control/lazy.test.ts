import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';

afterAll(() => removeBundledCommand());

/** Tells on a channel of its own which libraries are read, whenever it is asked. */
const spy = `process.on('message', () => process.send(Object.keys(require.cache).map((file) => require('node:path').basename(file))));`;

it('The control API costs a start nothing: Hono and what reads bodies are read with the first request', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-lazy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'spy.cjs'), spy);
  const program = await bundledCommand();
  const args = [
    '--require',
    join(folder, 'spy.cjs'),
    program,
    'serve',
    'ready',
    '--port',
    '0',
    '--no-plaintext-port',
    '--control-port',
    '0',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  onTestFinished(() => void child.kill());
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /The control API is at (\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(said)));
  });
  const libraries = (): Promise<readonly string[]> =>
    new Promise((resolve) => {
      child.once('message', (files: readonly string[]) => resolve(files));
      child.send('which');
    });
  const hono = (files: readonly string[]): readonly string[] => files.filter((file) => file.startsWith('hono'));
  expect(hono(await libraries())).toEqual([]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(hono(await libraries()).toSorted()).toEqual(['hono-node-server.js', 'hono.js']);
});
