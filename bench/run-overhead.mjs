// What `run` adds to Envoy: from the beginning of our timeline to LIVE, less what the same Envoy needs from spawn to LIVE by itself.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { interleaved, untilEnd } from './samples.mjs';

const alone = JSON.stringify({
  admin: { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } },
  node: { id: 'bench', cluster: 'bench' },
});

async function isLive(addressFile) {
  try {
    const response = await fetch(`http://${readFileSync(addressFile, 'utf8').trim()}/ready`);
    return (await response.text()).startsWith('LIVE');
  } catch {
    return false;
  }
}

/** Milliseconds from spawn of a bare Envoy to LIVE. */
async function envoyAlone(envoy) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-bench-'));
  const addressFile = join(folder, 'admin');
  const began = performance.now();
  const args = [
    '--config-yaml',
    alone,
    '--admin-address-path',
    addressFile,
    '--disable-hot-restart',
    '--concurrency',
    '1',
    '--log-level',
    'off',
  ];
  const child = spawn(envoy, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  try {
    while (!(await isLive(addressFile))) {
      if (child.exitCode !== null) throw new Error(`${envoy} ended with ${child.exitCode} before it was LIVE`);
      await pause(2);
    }
    return performance.now() - began;
  } finally {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds from the beginning of the timeline to LIVE, as the report of a run has it. */
async function runToLive(command, variant) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-bench-'));
  try {
    await untilEnd(process.execPath, [command, 'run', 'ready', '--variant', variant, '--report', folder]);
    const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('timeline.ndjson'));
    const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line)).find(({ event, state }) => event === 'envoy.state-reached' && state === 'LIVE').atMs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rows of the table: `{ what, against, figure, limit, ok, ms }`. */
export async function overheadRows({ root, envoy, rounds }) {
  const command = join(root, 'dist/bin/fake-istiod.js');
  const [bare, sotw, delta] = await interleaved(rounds, [
    () => envoyAlone(envoy),
    () => runToLive(command, 'sotw'),
    () => runToLive(command, 'delta'),
  ]);
  const row = (variant, ms) => ({
    what: `\`run ready\` (${variant}), our timeline to LIVE`,
    against: 'a bare Envoy, spawn to LIVE',
    figure: `+ ${((ms - bare) / 1000).toFixed(2)} s`,
    limit: '+ 0.4 s',
    ok: ms - bare <= 400,
    ms,
  });
  return [
    { what: 'a bare Envoy, spawn to LIVE', against: '', figure: '', limit: '', ok: true, ms: bare },
    row('sotw', sotw),
    row('delta', delta),
  ];
}
