import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { awaitStartup } from './startup.ts';
import type { EnvoyStartup } from './startup.ts';
import { envoyText } from './envoy-binary.ts';
import { LineRing, reasonsToExit } from './envoy-log.ts';
import { guardOrphan } from './orphan-guard.ts';
import { prepareRun } from './prepared-run.ts';
import type { PreparedRun, PrepareRunOptions } from './prepared-run.ts';

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
const keptLines = 5_000;

/**
 * Spawns a real Envoy and does not wait for it to come up: for runs in which it is expected to exit. Errors: those of
 * {@link findEnvoy}, `input.unreadable` for the bootstrap file, `envoy.start-failed` where nothing could be spawned at all.
 */
export async function launchEnvoy(options: LaunchEnvoyOptions): Promise<LaunchedEnvoy> {
  const clock = options.clock ?? systemClock;
  const run = await prepareRun(options, envoyArguments(options.args ?? []));
  const child = spawn(run.runtime.command, run.runtime.args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: run.env });
  const ring = new LineRing(keptLines, options.onLog);
  const logFile = options.logFile === undefined ? undefined : openLog(options.logFile);
  keepLog(child, ring, logFile);
  const closed = childClosed(child, clock);
  const pid = await spawned(child, run, logFile);
  const { runtime, ownDir } = run;
  const guard = guardOrphan({
    command: runtime.killCommand(pid),
    ...(ownDir === undefined ? {} : { dir: ownDir }),
    onProcessExit: () => runtime.kill(pid),
  });

  let exit: EnvoyExit | undefined;
  let stopping = false;
  const ended = new AbortController();
  const exited = closed.then((how) => {
    ring.end();
    exit = how;
    ended.abort(exitError(run, how, ring.lines, stopping));
    return how;
  });
  const cleared = exited.then(async () => {
    await guard.release();
    await run.dispose();
    await endLog(logFile);
  });
  // Whoever calls stop() hears of it; without a call nobody would.
  cleared.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping = true;
    if (!exit) {
      child.kill('SIGTERM');
      const callOff = clock.after(termGraceMs, () => runtime.kill(pid));
      await exited;
      callOff();
    }
    await cleared;
  };
  const startup = awaitStartup({ runtime, ended: ended.signal, clock, timeoutMs: options.startTimeoutMs ?? 15_000 });
  return {
    pid,
    version: run.envoy.version,
    nodeId: run.nodeId,
    log: ring.lines,
    exited,
    get exit() {
      return exit;
    },
    startup,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Our arguments and the user's. One worker and no hot restart: several Envoys at once are then no trouble. `config` at debug logs
 * every end of an xDS stream, which Envoy otherwise keeps to itself for a while; NACKs are warnings.
 * @note never `--log-format`: with Istio's own bootstraps, which have `application_log_config`, Envoy refuses to start.
 */
export function envoyArguments(args: readonly string[]): readonly string[] {
  const names = new Set(args.map((arg) => arg.split('=')[0] ?? arg));
  const hasLevel = ['-l', '--log-level', '--component-log-level'].some((name) => names.has(name)) || args.some((arg) => /^-l./.test(arg));
  return [
    ...(names.has('--disable-hot-restart') ? [] : ['--disable-hot-restart']),
    ...(names.has('--concurrency') ? [] : ['--concurrency', '1']),
    ...(hasLevel ? [] : ['-l', 'warning', '--component-log-level', 'config:debug,upstream:info']),
    ...args,
  ];
}

function openLog(path: string): WriteStream {
  // A log that cannot be written must not end the run; the lines are in memory too.
  return createWriteStream(path).on('error', () => undefined);
}

async function endLog(file: WriteStream | undefined): Promise<void> {
  if (!file || file.destroyed) return;
  await new Promise<void>((resolve) => file.once('close', () => resolve()).end());
}

function keepLog(child: ChildProcess, ring: LineRing, file: WriteStream | undefined): void {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      ring.write(piece);
      file?.write(piece);
    });
  }
}

/** Settles when the child has ended and its output is in. A grandchild may hold the pipes open, so the wait for them is bounded. */
function childClosed(child: ChildProcess, clock: Clock): Promise<EnvoyExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const how: EnvoyExit = { code, signal };
      const callOff = clock.after(drainMs, () => resolve(how));
      child.once('close', () => {
        callOff();
        resolve(how);
      });
    });
  });
}

function spawned(child: ChildProcess, run: PreparedRun, logFile: WriteStream | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) => {
      const error = new FakeIstiodError('envoy.start-failed', `${envoyText(run.envoy)} cannot be started: ${cause.message}`, {
        cause,
        remedy: 'Name another Envoy by its path or version',
      });
      void Promise.all([run.dispose(), endLog(logFile)]).finally(() => reject(error));
    });
  });
}

function exitError(run: PreparedRun, exit: EnvoyExit, log: readonly string[], stopping: boolean): FakeIstiodError {
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
  if (stopping) return new FakeIstiodError('envoy.exited', `${envoyText(run.envoy)} has been stopped`);
  const reasons = reasonsToExit(log);
  return new FakeIstiodError('envoy.exited', `${envoyText(run.envoy)} ${how}${reasons.length > 0 ? `: ${reasons.join(' | ')}` : ''}`, {
    remedy: 'A bootstrap that Envoy refuses is the usual cause; `--mode validate` shows it without a run',
  });
}
