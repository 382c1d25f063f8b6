import type { Clock } from '../clock.ts';
import { adminClient, launchEnvoy } from '../envoy/index.ts';
import type { Bootstrap, EnvoyExit, EnvoyStartup } from '../envoy/index.ts';
import { reasonsToExit } from '../envoy/envoy-log.ts';
import { exitText } from '../observe/event-text.ts';
import type { RunEnvoy } from './run-options.ts';

/** The Envoy of a run, whether it was started for it or found running. */
export interface Proxy {
  readonly pid?: number;
  /** Settles once the admin API answers, or Envoy has ended, or it took too long; never rejects. */
  readonly startup: Promise<EnvoyStartup>;
  /** Settles when the process has ended; never for an Envoy that somebody else started. */
  readonly exited: Promise<EnvoyExit>;
  readonly exit: EnvoyExit | undefined;
  /** How it ended and, as far as its log tells, why; once it has ended. */
  exitReason(): string;
  /** The newest lines of its log; undefined if it is not ours to read. */
  readonly log: readonly string[] | undefined;
  /** Ends what was started; an Envoy of somebody else goes on. */
  stop(): Promise<void>;
}

export interface ProxyOptions {
  readonly bootstrap: Bootstrap;
  readonly args: readonly string[];
  readonly clock: Clock;
  readonly onLog: (line: string) => void;
  readonly logFile: string | undefined;
  readonly env: NodeJS.ProcessEnv | undefined;
}

/** Starts an Envoy for a run, or attaches to one. Errors: `envoy.start-failed`, `docker.unavailable`, `envoy.unreachable`. */
export async function openProxy(envoy: Exclude<RunEnvoy, { attach: string }>, options: ProxyOptions): Promise<Proxy> {
  const { bootstrap, args, clock, onLog, logFile, env } = options;
  const launched = await launchEnvoy({
    envoy,
    bootstrap,
    args,
    clock,
    onLog,
    ...(logFile === undefined ? {} : { logFile }),
    ...(env ? { env } : {}),
  });
  return {
    pid: launched.pid,
    startup: launched.startup,
    exited: launched.exited,
    get exit() {
      return launched.exit;
    },
    exitReason: () => exitReason(launched.exit, launched.log),
    log: launched.log,
    stop: launched.stop,
  };
}

/** An Envoy that already runs, by the URL of its admin API. Error `envoy.unreachable` if it does not answer. */
export async function attachProxy(url: string, clock: Clock): Promise<Proxy & { readonly version: string }> {
  const admin = adminClient(url, { clock });
  const { nodeId, version } = await admin.serverInfo();
  return {
    version,
    startup: Promise.resolve({ kind: 'started', admin, nodeId }),
    exited: new Promise(() => undefined),
    exit: undefined,
    exitReason: () => 'Envoy ended',
    log: undefined,
    stop: () => Promise.resolve(),
  };
}

function exitReason(exit: EnvoyExit | undefined, log: readonly string[]): string {
  const how = `Envoy ${exitText(exit ?? {})}`;
  // Who is killed has no last words: what stands in its log then is not why.
  const reasons = exit?.signal ? [] : reasonsToExit(log);
  return reasons.length > 0 ? `${how}: ${reasons.join(' | ')}` : how;
}
