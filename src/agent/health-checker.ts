import type { Clock } from '../clock.ts';
import type { AgentLog } from './agent-log.ts';
import { probeExec, probeGrpc, probeHttp, probeTcp } from './probe.ts';
import { waited } from './waited.ts';
import type { WorkloadHealth } from './xds-carrier.ts';

/** `readinessProbe` of a ProxyConfig or WorkloadGroup: how the agent finds out whether its workload is healthy. */
export interface WorkloadProbe {
  readonly initialDelaySeconds?: number;
  /** Default 1. */
  readonly timeoutSeconds?: number;
  /** Default 10. */
  readonly periodSeconds?: number;
  /** How often in a row before the state changes; default 1. */
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number;
    readonly host?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly host?: string; readonly port: number };
  readonly exec?: { readonly command: readonly string[] };
  readonly grpc?: { readonly port: number; readonly service?: string };
}

export interface HealthCheckerOptions {
  readonly probe: WorkloadProbe;
  /** Where the workload listens if its probe does not say. */
  readonly host: string;
  /** Why Envoy is not ready; undefined if it is, or if there is none. Asked before the workload. */
  envoyTrouble(): Promise<string | undefined>;
  tell(health: WorkloadHealth): void;
  readonly log: AgentLog;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** Asks the workload again and again, and tells each change of state, the first one too (istio pkg/istio-agent/health). */
export async function checkHealth(options: HealthCheckerOptions): Promise<void> {
  const { probe, log, clock, stopped } = options;
  const initialMs = (probe.initialDelaySeconds ?? 0) * 1000;
  log('info', 'healthcheck', `starting health check in ${initialMs / 1000}s`);
  await waited(initialMs, clock, stopped);
  const state = new HealthState(probe);
  while (!stopped.aborted) {
    const why = await trouble(options);
    if (stopped.aborted) return;
    const change = state.next(why);
    if (change) {
      log(
        'info',
        'healthcheck',
        change.healthy ? 'success threshold hit, marking as healthy' : `failure threshold hit, marking as unhealthy: ${change.why}`,
      );
      options.tell(change);
    }
    await waited((probe.periodSeconds || 10) * 1000, clock, stopped);
  }
}

/** Counts answers of the same kind in a row. */
export class HealthState {
  readonly #thresholds: { readonly success: number; readonly failure: number };
  #successes = 0;
  #failures = 0;
  #told: boolean | undefined;

  constructor({ successThreshold, failureThreshold }: Pick<WorkloadProbe, 'successThreshold' | 'failureThreshold'>) {
    this.#thresholds = { success: successThreshold || 1, failure: failureThreshold || 1 };
  }

  /** Takes one answer, undefined for a good one; gives what has to be told now. */
  next(why: string | undefined): WorkloadHealth | undefined {
    this.#successes = why === undefined ? this.#successes + 1 : 0;
    this.#failures = why === undefined ? 0 : this.#failures + 1;
    const healthy = why === undefined;
    const [count, threshold] = healthy ? [this.#successes, this.#thresholds.success] : [this.#failures, this.#thresholds.failure];
    if (count < threshold || this.#told === healthy) return undefined;
    this.#told = healthy;
    return why === undefined ? { healthy: true } : { healthy: false, why };
  }
}

async function trouble({ probe, host, envoyTrouble }: HealthCheckerOptions): Promise<string | undefined> {
  const ofEnvoy = await envoyTrouble();
  if (ofEnvoy !== undefined) return ofEnvoy;
  try {
    await askWorkload(probe, host, (probe.timeoutSeconds || 1) * 1000);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function askWorkload({ httpGet, tcpSocket, exec, grpc }: WorkloadProbe, host: string, timeoutMs: number): Promise<void> {
  if (exec) return probeExec(exec.command, timeoutMs);
  if (tcpSocket) return probeTcp(tcpSocket.host || host, tcpSocket.port, timeoutMs);
  if (grpc) return probeGrpc(`${host}:${grpc.port}`, grpc.service ?? '', timeoutMs);
  if (!httpGet) return;
  const headers = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  const { code } = await probeHttp(
    {
      host: httpGet.host || host,
      port: httpGet.port,
      path: httpGet.path || '/',
      https: httpGet.scheme?.toLowerCase() === 'https',
      headers: { 'user-agent': 'istio-probe/1.0', ...headers },
    },
    timeoutMs,
  );
  if (code < 200 || code >= 400) throw new Error(`status code was not from [200,400), bad code ${code}`);
}
