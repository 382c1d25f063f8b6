/** The proxy's state as `/server_info` spells it. */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';

/** An Envoy runs and its admin port answers. */
export interface EnvoyStarted {
  readonly event: 'envoy.started';
  /** E.g. `1.40.0`. */
  readonly version: string;
  readonly pid?: number;
  readonly admin?: string;
}

/** The proxy got into a state. */
export interface EnvoyStateReached {
  readonly event: 'envoy.state-reached';
  readonly state: ServerState;
}

/** The proxy's process ended. */
export interface EnvoyExited {
  readonly event: 'envoy.exited';
  /** Exit code; absent if a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
}

/** A warning or worse in the proxy's log, white space normalised. */
export interface EnvoyLogged {
  readonly event: 'envoy.logged';
  readonly level: string;
  readonly text: string;
}

export type EnvoyEvent = EnvoyStarted | EnvoyStateReached | EnvoyExited | EnvoyLogged;
