import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvoyBinary } from './envoy-binary.ts';
import type { Bootstrap } from './bootstrap.ts';
import { signalGroup } from './process-group.ts';

/** What to run an Envoy on. */
export interface RuntimeRequest<E extends EnvoyBinary = EnvoyBinary> {
  readonly envoy: E;
  /** The bootstrap file. */
  readonly file: string;
  /** The same as an object, where it was given as one. */
  readonly bootstrap: Bootstrap | undefined;
  /** A directory of this run's own. */
  readonly dir: string;
  /** Envoy's arguments but for `-c` and `--admin-address-path`. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** One Envoy that is ready to be spawned, whatever it runs in. */
export interface EnvoyRuntime {
  readonly command: string;
  readonly args: readonly string[];
  /** The admin API's URL, as soon as Envoy has told it. */
  adminUrl(): Promise<string | undefined>;
  /** Asks a running Envoy to go; `pid` is what `command` started. */
  terminate(pid: number): void;
  /** Ends it the hard way. */
  kill(pid: number): void;
  /** Clears what was prepared; after the end of the child. */
  dispose(): Promise<void>;
}

/** An Envoy that is a child process of ours. */
export function binaryRuntime({ envoy, file, dir, args }: RuntimeRequest<EnvoyBinary & { kind: 'binary' }>): EnvoyRuntime {
  const addressFile = join(dir, 'admin-address');
  return {
    command: envoy.path,
    args: ['-c', file, '--admin-address-path', addressFile, ...args],
    adminUrl: async () => adminUrlOf(await readFile(addressFile, 'utf8').catch(() => '')),
    // The child leads a process group: `envoy` may be a script that started the real one.
    terminate: (pid) => signalGroup(pid, 'SIGTERM'),
    kill: (pid) => signalGroup(pid, 'SIGKILL'),
    dispose: async () => undefined,
  };
}

/** The content of an `--admin-address-path` file as a URL; `undefined` while it is not written. */
export function adminUrlOf(address: string): string | undefined {
  const text = address.trim();
  if (text.startsWith('/')) return `unix:${text}`;
  const match = /^(.+):(\d+)$/.exec(text);
  if (!match) return undefined;
  const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };
  const host = match[1] ?? '';
  return `http://${anyHost[host] ?? host}:${match[2]}`;
}
