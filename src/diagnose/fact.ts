import type { JsonObject, ServerState, StatValue } from '../envoy/index.ts';
import type { BootstrapFacts } from './bootstrap-facts.ts';
import type { Evidence } from './evidence.ts';
import type { MeshFacts } from './mesh-facts.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** One stat. What an input does not list is no fact: a missing stat is not a zero. */
export interface StatFact extends Evidence {
  readonly fact: 'stat';
  readonly name: string;
  readonly value: StatValue;
}

/** The server state, from `/server_info` or `/ready`. */
export interface StateFact extends Evidence {
  readonly fact: 'state';
  readonly state: ServerState;
}

/** Who writes a line of a log. `unknown` is a bare line, such as the last words of an Envoy that exits. */
export type Logger = 'envoy' | 'istio' | 'unknown';

export interface LogFact extends Evidence {
  readonly fact: 'log';
  readonly by: Logger;
  readonly level: string;
  /** The message, white space normalised. */
  readonly text: string;
}

/** An init manager of `/init_dump` still waits for a target. */
export interface WaitFact extends Evidence {
  readonly fact: 'wait';
  readonly manager: string;
  readonly target: string;
}

/** `/init_dump` lists nothing that waits. */
export interface NoWaitFact extends Evidence {
  readonly fact: 'no-wait';
}

/** A resource in a config_dump. */
export interface ResourceFact extends Evidence {
  readonly fact: 'resource';
  readonly type: 'CDS' | 'EDS' | 'LDS' | 'RDS' | 'SDS' | 'ECDS';
  readonly name: string;
  /** `empty` was asked for and has no content yet; `rejected` is an update that Envoy refused. */
  readonly state: 'static' | 'active' | 'warming' | 'empty' | 'rejected';
  /** As the dump has it. */
  readonly value: JsonObject;
  /** Envoy's words about a rejected one. */
  readonly error?: string;
}

/** A section that a config_dump has, whether or not it holds anything. */
export interface SectionFact extends Evidence {
  readonly fact: 'section';
  readonly type: ResourceFact['type'] | 'bootstrap';
}

export interface BootstrapFact extends Evidence {
  readonly fact: 'bootstrap';
  readonly bootstrap: BootstrapFacts;
}

export interface WorkloadFact extends Evidence {
  readonly fact: 'workload';
  readonly workload: WorkloadFacts;
}

export interface MeshFact extends Evidence {
  readonly fact: 'mesh';
  readonly mesh: MeshFacts;
}

/** What Kubernetes says of the container that runs the proxy. */
export interface ContainerFact extends Evidence {
  readonly fact: 'container';
  readonly name: string;
  readonly ready?: boolean;
  readonly restarts?: number;
  /** `waiting`, `running` or `terminated`; the reason beside it. */
  readonly state?: string;
  readonly reason?: string;
  readonly exitCode?: number;
  /** Of the run before this one. */
  readonly lastReason?: string;
  readonly lastExitCode?: number;
}

/** A Kubernetes event. */
export interface KubeEventFact extends Evidence {
  readonly fact: 'kube-event';
  readonly reason: string;
  readonly text: string;
}

/** An event of istiod's side: a line of a report's `timeline.ndjson`, or of the log of `fake-istiod serve`. */
export interface TimelineFact extends Evidence {
  readonly fact: 'event';
  readonly event: string;
  readonly fields: JsonObject;
}

/** The proxy process ended. */
export interface ExitFact extends Evidence {
  readonly fact: 'exit';
  readonly code?: number;
}

export type Fact =
  | StatFact
  | StateFact
  | LogFact
  | WaitFact
  | NoWaitFact
  | ResourceFact
  | SectionFact
  | BootstrapFact
  | WorkloadFact
  | MeshFact
  | ContainerFact
  | KubeEventFact
  | TimelineFact
  | ExitFact;
