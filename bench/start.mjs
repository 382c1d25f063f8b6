// How long until `serve` listens, against the least that Node needs.
import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleaved, untilEnd, untilSaid } from './samples.mjs';

/** Rows of the table: `{ what, against, ratio, atMost, ms }`. */
export async function startRows({ root, rounds }) {
  const command = join(root, 'dist/bin/fake-istiod.js');
  const serve = (...args) =>
    untilSaid(process.execPath, [command, 'serve', '--port', '0', '--plaintext-port', '0', ...args], /fake-istiod serves/);
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-bench-'));
  const own = join(folder, 'own.yaml');
  // One byte more than the packaged file: what the build has prepared for that is of no use here.
  copyFileSync(join(root, 'scenarios/withhold-first-cds.yaml'), own);
  appendFileSync(own, '\n');
  let bare, plain, scripted;
  try {
    [bare, plain, scripted] = await interleaved(rounds, [() => untilEnd(process.execPath, ['-e', '0']), () => serve(), () => serve(own)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const row = (what, ms, atMost) => ({
    what,
    against: '`node -e 0`',
    figure: `${(ms / bare).toFixed(2)} ×`,
    limit: `${atMost} ×`,
    ok: ms / bare <= atMost,
    ms,
  });
  return [
    { what: '`node -e 0`', against: '', figure: '1 ×', limit: '', ok: true, ms: bare },
    row('`serve`, spawn to listening', plain, 2.5),
    row('`serve` with a scenario of one’s own', scripted, 3.5),
  ];
}
