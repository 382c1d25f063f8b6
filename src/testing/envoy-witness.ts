import type { Clock } from '../clock.ts';
import { parseEnvoyLogLine, type AdminClient, type EnvoyEvent, type EnvoyExit } from '../envoy/index.ts';
import type { Timeline } from '../index.ts';
import { startProber } from '../runner/prober.ts';

/** Where what is seen of an Envoy goes: a fake istiod's timeline. */
export interface Witnessing {
  readonly timeline: Timeline;
  report(event: EnvoyEvent): void;
}

/** An Envoy that runs, as far as it is looked at. */
export interface Watchable {
  readonly admin: AdminClient;
  readonly version: string;
  readonly pid?: number;
  /** Settles when it has ended. */
  readonly exited?: Promise<EnvoyExit>;
}

const grave: ReadonlySet<string> = new Set(['warning', 'error', 'critical']);

/** Puts a line of Envoy's log into the timeline if it is a warning or worse. */
export function reportLogLine(witness: Witnessing, line: string): void {
  const parsed = parseEnvoyLogLine(line);
  if (parsed && grave.has(parsed.level)) witness.report({ event: 'envoy.logged', level: parsed.level, text: parsed.text });
}

/**
 * Puts into the timeline that an Envoy runs, which states it gets into, and its end. The returned function ends the looking and settles when
 * no look is under way.
 */
export function witnessEnvoy(envoy: Watchable, witness: Witnessing, clock: Clock): () => Promise<void> {
  const { admin, version, pid, exited } = envoy;
  witness.report({ event: 'envoy.started', version, admin: admin.url, ...(pid === undefined ? {} : { pid }) });
  let over = false;
  let lastState: string | undefined;
  const prober = startProber({
    admin,
    clock,
    nowMs: () => witness.timeline.nowMs,
    needs: () => ({ ready: false, stats: [], agent: false, config: false, http: [] }),
    onSample({ state }) {
      if (over || state === undefined || state === lastState) return;
      lastState = state;
      witness.report({ event: 'envoy.state-reached', state });
    },
    onMute: () => undefined,
  });
  void exited?.then(({ code, signal }) => {
    if (!over) witness.report({ event: 'envoy.exited', ...(code === null ? {} : { code }), ...(signal ? { signal } : {}) });
  });
  return async () => {
    over = true;
    await prober.stop();
  };
}
