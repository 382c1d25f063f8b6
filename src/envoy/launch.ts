import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { keepLog } from './child-log.ts';
import type { ChildLog } from './child-log.ts';
import { envoyArguments } from './envoy-arguments.ts';
import { envoyText } from './envoy-binary.ts';
import { reasonsToExit } from './envoy-log.ts';
import { prepareRun } from './prepared-run.ts';
import { spawnPiped } from './spawn-piped.ts';
import type { PipedChild } from './spawn-piped.ts';
import type { PreparedRun, PrepareRunOptions } from './prepared-run.ts';
import { guardGroup } from './process-group.ts';
import { awaitStartup } from './startup.ts';
import type { EnvoyStartup } from './startup.ts';

/** How an Envoy ended. */
export interface EnvoyExit {
  /** Exit code, `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchEnvoyOptions extends PrepareRunOptions {
  /** More arguments for Envoy. Its log level is ours only where none is given here. */
  readonly args?: readonly string[];
  /** A file that gets Envoy's whole log. */
  readonly logFile?: string;
  /** Told each line of Envoy's log. */
  readonly onLog?: (line: string) => void;
  /** How long Envoy may take to open its admin API; default 15 000 ms. */
  readonly startTimeoutMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** An Envoy that was spawned; whether it comes up is for `startup` to tell. */
export interface LaunchedEnvoy {
  /** The process that we started: Envoy, or the docker client attached to its container. */
  readonly pid: number;
  /** e.g. `1.40.0`. */
  readonly version: string;
  /** `node.id` of a bootstrap that was given as an object. */
  readonly nodeId: string | undefined;
  /** The newest lines of Envoy's log (at most 5000), oldest first. Grows. */
  readonly log: readonly string[];
  /** Settles when Envoy has ended and its log is complete; never rejects. */
  readonly exited: Promise<EnvoyExit>;
  /** How it ended, once it has. */
  readonly exit: EnvoyExit | undefined;
  /** Settles once Envoy's admin API answers, or Envoy ends, or takes too long; never rejects. */
  readonly startup: Promise<EnvoyStartup>;
  /** Ends Envoy (SIGTERM, then SIGKILL) and removes all that was made for it. May be called any number of times, at any time. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Envoy gets so long to go by itself; then it is killed. */
const termGraceMs = 2_000;
/** After its end, so long the pipes may still carry log lines. */
const drainMs = 500;

/**
 * Spawns a real Envoy and does not wait for it to come up: for runs in which it is expected to exit. Errors: those of
 * {@link findEnvoy}, `input.unreadable` for the bootstrap file, `envoy.start-failed` where nothing could be spawned at all.
 */
export async function launchEnvoy(options: LaunchEnvoyOptions): Promise<LaunchedEnvoy> {
  const clock = options.clock ?? systemClock;
  const run = await prepareRun(options, envoyArguments(options.args ?? []));
  const piped = spawnPiped(run.runtime.command, run.runtime.args, {
    detached: true,
    env: run.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const log = keepLog(piped, options);
  const watched = piped.child.pid === undefined ? undefined : watch(piped, piped.child.pid, run, log, clock);
  if (!watched) throw await notSpawned(piped.child, run, log);
  const { pid, ended } = watched;
  const timeoutMs = options.startTimeoutMs ?? 15_000;
  return {
    pid,
    version: run.envoy.version,
    nodeId: run.nodeId,
    log: log.lines,
    exited: watched.exited,
    get exit() {
      return watched.exit();
    },
    startup: awaitStartup({ runtime: run.runtime, ended, clock, timeoutMs }),
    stop: watched.stop,
    [Symbol.asyncDispose]: watched.stop,
  };
}

/** The life of a child from its spawn to the last trace of it. */
interface Watched {
  readonly pid: number;
  readonly exited: Promise<EnvoyExit>;
  exit(): EnvoyExit | undefined;
  /** Aborted with `envoy.exited` at the end. */
  readonly ended: AbortSignal;
  stop(): Promise<void>;
}

function watch(piped: PipedChild, pid: number, run: PreparedRun, log: ChildLog, clock: Clock): Watched {
  const guard = guardGroup(pid);
  const ended = new AbortController();
  let exit: EnvoyExit | undefined;
  let stopping = false;
  const exited = childClosed(piped, clock).then(async (how) => {
    await log.end();
    exit = how;
    ended.abort(exitError(run, how, log.lines, stopping));
    return how;
  });
  const cleared = exited.then(async () => {
    await guard.release();
    await run.dispose();
  });
  // Whoever calls stop() hears of a failure; without such a call it must not end the whole program.
  cleared.catch(() => undefined);
  const stop = async (): Promise<void> => {
    if (!exit && !stopping) {
      stopping = true;
      run.runtime.terminate(pid);
      const callOff = clock.after(termGraceMs, () => run.runtime.kill(pid));
      void exited.then(callOff);
    }
    await cleared;
  };
  return { pid, exited, exit: () => exit, ended: ended.signal, stop };
}

/** Settles when the child has ended and its output is in. A grandchild may hold the pipes open, so the wait for them is bounded. */
function childClosed({ child, onDrained }: PipedChild, clock: Clock): Promise<EnvoyExit> {
  const drained = new Promise<void>((resolve) => onDrained(resolve));
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const how: EnvoyExit = { code, signal };
      const callOff = clock.after(drainMs, () => resolve(how));
      void drained.then(() => {
        callOff();
        resolve(how);
      });
    });
  });
}

async function notSpawned(child: ChildProcess, run: PreparedRun, log: ChildLog): Promise<FakeIstiodError> {
  const cause = await new Promise<Error>((resolve) => child.once('error', resolve));
  await log.end();
  await run.dispose();
  return new FakeIstiodError('envoy.start-failed', `${envoyText(run.envoy)} cannot be started: ${cause.message}`, {
    cause,
    remedy: 'Name another Envoy by its path or version',
  });
}

function exitError(run: PreparedRun, exit: EnvoyExit, log: readonly string[], stopping: boolean): FakeIstiodError {
  if (stopping) return new FakeIstiodError('envoy.exited', `${envoyText(run.envoy)} has been stopped`);
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
  const reasons = reasonsToExit(log);
  return new FakeIstiodError('envoy.exited', `${envoyText(run.envoy)} ${how}${reasons.length > 0 ? `: ${reasons.join(' | ')}` : ''}`, {
    remedy: exit.signal ? 'Something outside ended it' : 'Usually Envoy refuses its bootstrap; `--mode validate` shows that without a run',
  });
}
