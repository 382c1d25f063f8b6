// Starts the server under test in a process of its own, and asks it how it is.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleLibrary } from '../../tools/cjs.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

/** Bundles the library as it is now, and starts it. */
export async function startServer(maxMessageBytes) {
  // Inside the package, where the library finds its data.
  const folder = join(root, 'node_modules/.cache', `fuzz-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  await bundleLibrary(root, folder);
  const args = ['--expose-gc', '--require', join(here, 'gauge.cjs'), join(here, 'served.cjs'), join(folder, 'index.js'), maxMessageBytes];
  const child = spawn(process.execPath, args.map(String), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (words = (words + text).slice(-4000)));
  let ended;
  const gone = new Promise((resolve) =>
    child.once('close', (code, signal) => {
      ended = `it ended with ${signal ?? code}\n${words}`;
      rmSync(folder, { recursive: true, force: true });
      resolve(ended);
    }),
  );
  const heard = (question) => Promise.race([question, gone.then((why) => Promise.reject(new Error(`the server is gone: ${why}`)))]);
  let asked = 0;
  const ask = (what) =>
    heard(
      new Promise((resolve) => {
        const id = ++asked;
        const listen = (message) => {
          if (message.id !== id) return;
          child.off('message', listen);
          resolve(message);
        };
        child.on('message', listen);
        child.send({ id, ask: what });
      }),
    );
  const { port, control } = await heard(new Promise((resolve) => child.once('message', resolve)));
  return {
    port,
    control,
    /** Why it is gone, if it is. */
    get ended() {
      return ended;
    },
    /** What it complained of on stderr. */
    get words() {
      return words;
    },
    /** The longest time that its event loop stood still since the last question: `{ stallMs, wallMs, cpuMs }`, the first the smaller of the others. */
    stall: async () => (await ask('stall')).stall,
    /** `{ rss, heapUsed }` in bytes, after garbage collection. */
    memory: () => ask('memory'),
    /** Ends it, though it should hear nothing any longer. */
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
