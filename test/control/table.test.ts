import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { ExitCode } from '../../src/errors.ts';
import type { Route } from '../../src/control/route.ts';
import { routes } from '../../src/control/route-table.ts';
import { fakeTerminal } from '../cli/fake-terminal.ts';
import { controlledIstiod } from './controlled.ts';

const checkout = join(import.meta.dirname, '../..');
const all: readonly Route[] = Object.values(routes);
const page = readFileSync(join(checkout, 'docs/control.md'), 'utf8');

/** `snapshot get` and its like: every command of `ctl` that has none below it. */
function leaves(command: Command, path: readonly string[] = []): readonly string[] {
  const below = command.commands.filter((one) => one.name() !== 'help');
  return below.length === 0 ? [path.join(' ')] : below.flatMap((one) => leaves(one, [...path, one.name()]));
}

/** What of the library is no operation, and why. */
const notOverHttp: Readonly<Record<string, string>> = {
  control: 'it is what is asked',
  sessions: 'nodes tells the same as values',
  waitingSteps: 'steps tells it',
  on: 'the stream of events',
  stop: 'who started the process ends it',
  host: 'part of xdsAddress in GET /state',
  port: 'part of xdsAddress in GET /state',
  plaintextPort: 'in GET /state',
  timeline: 'GET /events',
  formerRootCertificates: 'GET /root-certificate?former=true',
  mark: 'POST /commands',
  serveAnew: 'PUT /snapshot',
  debug: 'where another HTTP server is, which option or flag has placed',
};

describe('The table of docs/control.md', () => {
  it('and openapi.json say what the code says', { timeout: 60_000 }, () => {
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'tools/openapi.mjs'), '--check'], { encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
  });

  it('has every command of ctl, and none that is not there', () => {
    const ctl = program({ terminal: fakeTerminal(), exitCode: ExitCode.ok, complain: () => undefined }).commands.find(
      (one) => one.name() === 'ctl',
    );
    if (!ctl) throw new Error('there is no ctl');
    // verify is expectations over all of this, and no operation of its own.
    const there = leaves(ctl).filter((words) => words !== 'verify');
    expect(there.toSorted()).toEqual([...new Set(all.flatMap((route) => route.ctl))].toSorted());
  });

  it('has every member of the library, and none that is not there', async () => {
    const { istiod } = await controlledIstiod();
    const named = new Set(all.flatMap(({ library }) => [...library.matchAll(/istiod\.(\w+)/g)].map(([, member = '']) => member)));
    const members = Object.keys(istiod);
    expect([...named].filter((member) => !members.includes(member))).toEqual([]);
    expect(members.filter((member) => !named.has(member) && notOverHttp[member] === undefined)).toEqual([]);
  });

  it('stands below examples that run as they stand', async (context) => {
    if (spawnSync('curl', ['--version']).status !== 0) return context.skip('there is no curl');
    const lines = [...page.matchAll(/^curl .*$/gm)].map(([line]) => line);
    expect(lines.length).toBeGreaterThan(8);
    const { url } = await controlledIstiod({ scenario: 'withhold-first-cds' });
    const { spawn } = await import('node:child_process');
    for (const line of lines) {
      const child = spawn('sh', ['-c', line], { env: { ...process.env, url }, stdio: 'ignore' });
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([line, code]).toEqual([line, 0]);
    }
  });
});
