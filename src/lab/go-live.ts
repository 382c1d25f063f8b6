import type { Clock } from '../clock.ts';
import type { TimelineEvent } from '../events.ts';
import { runScenario } from '../runner/run.ts';
import type { RunResult } from '../runner/run-result.ts';
import { loadScenario } from '../script/load.ts';
import { exampleFile } from './lab-example.ts';

export interface GoLiveOptions {
  /** The admin API of the Envoy that runs. */
  readonly adminUrl: string;
  /** The port of loopback that its bootstrap has for istiod. */
  readonly port: number;
  readonly variant: 'sotw' | 'delta';
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly reportDir?: string;
  readonly onEvent?: (event: TimelineEvent) => void;
}

/** Starts the istiod that an Envoy has been waiting for, and sees whether it becomes LIVE. Errors as `runScenario`. */
export async function goLive({ adminUrl, ...options }: GoLiveOptions): Promise<RunResult> {
  const scenario = await loadScenario(exampleFile('istiod.yaml'));
  return runScenario({ ...scenario, name: 'lab' }, { ...options, envoy: { attach: adminUrl } });
}
