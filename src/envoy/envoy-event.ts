/** The proxy's state as `/server_info` spells it. */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';

/** What every event of a proxy says. */
interface EnvoyFacts {
  /** The name of one of several Envoys; absent where there is one without a name. */
  readonly envoy?: string;
}

/** An Envoy runs and its admin port answers. */
export interface EnvoyStarted extends EnvoyFacts {
  readonly event: 'envoy.started';
  /** E.g. `1.40.0`. */
  readonly version: string;
  readonly pid?: number;
  readonly admin?: string;
}

/** The proxy got into a state. */
export interface EnvoyStateReached extends EnvoyFacts {
  readonly event: 'envoy.state-reached';
  readonly state: ServerState;
}

/** The proxy's process ended. */
export interface EnvoyExited extends EnvoyFacts {
  readonly event: 'envoy.exited';
  /** Exit code; absent if a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
}

/** A warning or worse in the proxy's log, white space normalised. */
export interface EnvoyLogged extends EnvoyFacts {
  readonly event: 'envoy.logged';
  readonly level: string;
  readonly text: string;
}

export type EnvoyEvent = EnvoyStarted | EnvoyStateReached | EnvoyExited | EnvoyLogged;
