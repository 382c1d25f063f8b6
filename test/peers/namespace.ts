import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startProcess, type Launch, type Running } from './running-process.ts';

/**
 * A network namespace of a test's own: its loopback interface and one more address, reachable from nowhere else. pilot-agent and its Envoy
 * bind fixed ports on all interfaces, and istiod has to be found under its name; here both are nobody else's business.
 */
export interface Namespace extends AsyncDisposable {
  /** Not loopback: what a pod would call its address. */
  readonly address: string;
  start(command: string, args: readonly string[], launch?: Launch): Running;
  /** Ends everything that runs in it, and removes it. */
  close(): Promise<void>;
}

const prefix = 'fake-istiod-test-';
const address = '10.199.0.2';
const hostsFolder = '/etc/netns';
let count = 0;

function ip(...args: readonly string[]): string {
  return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Why there can be no namespace here, or undefined if there can. */
export function whyNoNamespace(): string | undefined {
  const { error } = spawnSync('ip', ['-V']);
  if (error) return 'there is no `ip` (package iproute2)';
  if (process.getuid?.() !== 0) return 'only root makes network namespaces';
  const name = `${prefix}${process.pid}-0`;
  const { status, stderr } = spawnSync('ip', ['netns', 'add', name], { encoding: 'utf8' });
  if (status !== 0) return `no network namespace can be made: ${stderr.trim()}`;
  ip('netns', 'del', name);
  return undefined;
}

/** Opens a namespace in which `names` stand for 127.0.0.1. */
export function openNamespace(names: readonly string[] = []): Namespace {
  removeLeftovers();
  const name = `${prefix}${process.pid}-${++count}`;
  const started: Running[] = [];
  const close = async (): Promise<void> => {
    for (let left = pidsIn(name); left.length > 0; left = pidsIn(name)) {
      left.forEach(kill);
      await Promise.allSettled(started.map(({ ended }) => ended));
    }
    remove(name);
  };
  try {
    setUp(name, names);
  } catch (error) {
    remove(name);
    throw error;
  }
  return {
    address,
    start: (command, args, launch) => {
      const running = startProcess('ip', ['netns', 'exec', name, command, ...args], { name: basename(command), ...launch });
      started.push(running);
      return running;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @note A pair of virtual cables whose both ends lie in the namespace: not every kernel has dummy interfaces. */
function setUp(name: string, names: readonly string[]): void {
  mkdirSync(join(hostsFolder, name), { recursive: true });
  writeFileSync(join(hostsFolder, name, 'hosts'), `127.0.0.1 ${['localhost', ...names].join(' ')}\n`);
  ip('netns', 'add', name);
  ip('-n', name, 'link', 'set', 'lo', 'up');
  ip('-n', name, 'link', 'add', 'pod', 'type', 'veth', 'peer', 'name', 'node');
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'pod');
  ip('-n', name, 'link', 'set', 'pod', 'up');
  ip('-n', name, 'link', 'set', 'node', 'up');
}

function remove(name: string): void {
  spawnSync('ip', ['netns', 'del', name]);
  rmSync(join(hostsFolder, name), { recursive: true, force: true });
}

function pidsIn(name: string): readonly number[] {
  const { stdout } = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').filter(Boolean).map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What a test that was killed left behind: its number is in the name. */
function removeLeftovers(): void {
  const left = ip('netns', 'list')
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name.startsWith(prefix) && !lives(Number.parseInt(name.slice(prefix.length), 10)));
  for (const name of left) {
    pidsIn(name).forEach(kill);
    remove(name);
  }
}
