import type { Clock } from '../clock.ts';
import type { TimelineEvent } from '../events.ts';
import type { Bootstrap, BootstrapOptions, EnvoyBinary } from '../envoy/index.ts';
import type { PkiFolder } from '../index.ts';
import type { Variant } from '../protocol/request.ts';

/** The Envoy of a run: one that is started for it, or one that already runs, by the URL of its admin API. */
export type RunEnvoy = EnvoyBinary | { readonly attach: string };

/** What is known once both sides run; given to `hold` and `onReady`. */
export interface RunningSides {
  /** Of several Envoys the one that is ready. */
  readonly envoy?: string;
  /** `http://127.0.0.1:PORT` of Envoy's admin API; absent if Envoy has not opened it. */
  readonly adminUrl?: string;
  /** `host:port` of the xDS server. */
  readonly xdsAddress: string;
  readonly envoyPid?: number;
  /** Of several Envoys each, and the URL of its admin API. */
  readonly admins?: readonly { readonly envoy: string; readonly adminUrl: string }[];
}

export interface RunOptions {
  readonly variant: Variant;
  readonly envoy: RunEnvoy;
  /** More arguments for Envoy, after the scenario's. */
  readonly envoyArgs?: readonly string[];
  /** The user's own bootstrap: its xDS address is rewritten, its admin API moved to a free port. Default: ours, with the scenario's wishes. Not with several. */
  readonly bootstrap?: Bootstrap;
  /** Shape of our own bootstrap; default `lab`. */
  readonly shape?: NonNullable<BootstrapOptions['shape']>;
  /** Bounds the run instead of the scenario's `timeout`. */
  readonly timeoutMs?: number;
  /** Port of the xDS server on loopback; default 0, any free one. An attached Envoy points at a fixed one. */
  readonly port?: number;
  /** Where istiod's certificates and the keys of tokens come from; whether anybody is asked for them is the scenario's to say. Default: made for the run. */
  readonly pki?: PkiFolder;
  /** Called once all is decided and before anything is stopped; the run stays up until it settles or `signal` aborts. */
  readonly hold?: (sides: RunningSides) => Promise<void>;
  /** Called when Envoy's admin API first answers; of several Envoys, for each. */
  readonly onReady?: (sides: RunningSides) => void;
  /** Folder for the report, made if missing. Default: no report. */
  readonly reportDir?: string;
  /** Told every event as it happens. */
  readonly onEvent?: (event: TimelineEvent) => void;
  /** Ends the run at once: all is stopped, temporary files are gone, the result says `interrupted`. */
  readonly signal?: AbortSignal;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Environment of the Envoy process; default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
}
