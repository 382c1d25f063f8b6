import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface SpawnPipedOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly detached: boolean;
}

/** A child whose output can be read, and that can itself open `/dev/stdout` and `/dev/stderr`. */
export interface PipedChild {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Calls `done` when both outputs have ended; the child may still be there, or have ended before. */
  onDrained(done: () => void): void;
}

/**
 * Spawns a command without a shell and without stdin.
 *
 * @note What Node calls a pipe is a socket, which nobody can open by name: an Envoy whose access log goes to `/dev/stdout`, as Istio's
 * does, would refuse its configuration ("No such device or address"). So the child gets named pipes, whose names are gone again before
 * it starts. Where there is no `mkfifo`, Node's own have to do.
 */
export function spawnPiped(command: string, args: readonly string[], { env, cwd, detached }: SpawnPipedOptions): PipedChild {
  const pipes = namedPipes();
  const stdio: ('ignore' | 'pipe' | number)[] = pipes ? ['ignore', pipes.stdout.write, pipes.stderr.write] : ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { stdio, detached, ...(env ? { env } : {}), ...(cwd === undefined ? {} : { cwd }) });
  if (pipes) for (const { write } of [pipes.stdout, pipes.stderr]) closeSync(write);
  const stdout = pipes ? reader(pipes.stdout.read) : (child.stdout as Readable);
  const stderr = pipes ? reader(pipes.stderr.read) : (child.stderr as Readable);
  return { child, stdout, stderr, onDrained: (done) => whenClosed([stdout, stderr], done) };
}

/** The two descriptors of one pipe. */
interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

function namedPipes(): { readonly stdout: PipeEnds; readonly stderr: PipeEnds } | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-pipes-'));
  try {
    const names = [join(dir, 'stdout'), join(dir, 'stderr')] as const;
    if (spawnSync('mkfifo', names, { stdio: 'ignore' }).status !== 0) return undefined;
    return { stdout: openBothEnds(names[0]), stderr: openBothEnds(names[1]) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The reading end first, and without waiting: only then can the writing end be opened without waiting too. */
function openBothEnds(name: string): PipeEnds {
  const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  return { read, write: openSync(name, constants.O_WRONLY) };
}

function reader(fd: number): Readable {
  const socket = new Socket({ fd, readable: true, writable: false });
  return socket.on('error', () => undefined);
}

function whenClosed(streams: readonly Readable[], done: () => void): void {
  let open = streams.length;
  for (const stream of streams) stream.once('close', () => --open === 0 && done());
}
