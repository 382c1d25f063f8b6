import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { realEnvoy, wantedEnvoy } from './real-envoy.ts';

// The program as it is shipped, in a process of its own: signals, pipes and what is left behind.
const root = join(import.meta.dirname, '../..');
let bin: string;

beforeAll(async () => {
  bin = await bundledCommand();
  await realEnvoy();
});
afterAll(removeBundledCommand);

interface Running {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  until(text: string): Promise<void>;
}

/** Starts a shell line in which `fake-istiod` is the program; temporary files go to `tmp`. */
function start(command: string, args: readonly string[], tmp: string): Running {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: tmp, NODE: process.execPath, BIN: bin },
  });
  const output = { stdout: '', stderr: '' };
  const waits = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (piece: string) => {
      output[name] += piece;
      waits.forEach((look) => look());
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const until = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void ((output.stdout.includes(text) || output.stderr.includes(text)) && resolve());
      waits.add(look);
      void ended.then(() => reject(new Error(`ended without "${text}":\n${output.stdout}${output.stderr}`)));
      look();
    });
  return { child, output, ended, until };
}

const program = (args: readonly string[], tmp: string): Running => start(process.execPath, [bin, ...args], tmp);

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.concurrent('the process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends `serve` with 0 on %s', async (signal) => {
    const { child, ended, until, output } = program(['serve', '--port', '0', '--no-plaintext-port'], root);
    await until('server.started');
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(output.stderr).toContain('server.stopped');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends `run` with 130 on %s and leaves no Envoy and no file', async (signal) => {
    const tmp = mkdtempSync(join(dirname(bin), 'tmp-'));
    const { child, ended, until, output } = program(['run', 'never-ready', '--variant', 'sotw', '--envoy', wantedEnvoy], tmp);
    await until(', pid ');
    const pid = Number(/\bpid (\d+)/.exec(output.stdout)?.[1]);
    expect(lives(pid)).toBe(true);
    child.kill(signal);
    expect(await ended).toBe(130);
    expect(lives(pid)).toBe(false);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('ends at once on the second Ctrl-C, and still leaves nothing', async () => {
    const tmp = mkdtempSync(join(dirname(bin), 'tmp-'));
    const { child, ended, until, output } = program(['run', 'never-ready', '--variant', 'sotw', '--envoy', wantedEnvoy], tmp);
    await until(', pid ');
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const pid = Number(/\bpid (\d+)/.exec(output.stdout)?.[1]);
    expect(lives(pid)).toBe(false);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('leaves nothing when Ctrl-C comes before Envoy is up', async () => {
    const tmp = mkdtempSync(join(dirname(bin), 'tmp-'));
    const { child, ended, until } = program(['run', 'never-ready', '--variant', 'sotw', '--envoy', wantedEnvoy], tmp);
    await until('istiod listens');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(readdirSync(tmp)).toEqual([]);
  });

  it('has in its bundle what only some commands load', async () => {
    const { ended, output } = program(['bootstrap', '--format', 'yaml'], root);
    expect(await ended).toBe(0);
    expect(output.stdout).toMatch(/^node:\n {2}id: sidecar~/);
  });

  it('speaks TLS, whose certificate is made when it is first needed', async () => {
    const { child, ended, until, output } = program(['serve', '--port', '0', '--no-plaintext-port'], root);
    await until('server.started');
    const socket = connect({ host: '127.0.0.1', port: Number(/127\.0\.0\.1:(\d+)/.exec(output.stderr)?.[1]), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subjectaltname).toContain('DNS:istiod.istio-system.svc');
    socket.destroy();
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('ends quietly when the reader of a list goes away', async () => {
    const { ended, output } = start('sh', ['-c', '"$NODE" "$BIN" scenarios --json | head -n 1'], root);
    expect(await ended).toBe(0);
    expect(output).toEqual({ stdout: '[\n', stderr: '' });
  });

  it.skipIf(!existsSync('/dev/full'))('does not end well when results could not be written', async () => {
    const { ended, output } = start('sh', ['-c', '"$NODE" "$BIN" scenarios > /dev/full'], root);
    expect(await ended).toBe(3);
    expect(output.stderr).toMatch(/^fake-istiod: stdout cannot be written: ENOSPC.*\. Send it where there is room and permission\n$/);
  });

  it('ends a run when the reader of its timeline goes away, and leaves nothing', async () => {
    const tmp = mkdtempSync(join(dirname(bin), 'tmp-'));
    const { ended, output } = start(
      'sh',
      ['-c', `"$NODE" "$BIN" run never-ready --variant sotw --envoy '${wantedEnvoy}' | head -n 3`],
      tmp,
    );
    expect(await ended).toBe(0);
    expect(output.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(output.stderr).toMatch(/^Envoy [^\n]*\n$/);
    expect(readdirSync(tmp)).toEqual([]);
  });
});
