import type { DebugAddresses, DebugOptions, DebugPort } from '../debug/debug-server.ts';
import type { FakeIstiodError } from '../errors.ts';

/** The flags of `serve` that are about istiod's own HTTP. */
export interface DebugFlags {
  readonly port: number;
  readonly bind?: readonly string[];
  /** False with `--no-monitoring-port`; undefined: by `port`. */
  readonly monitoringPort?: number | false;
  readonly httpPort?: number;
}

const istiodPorts = { xds: 15_012, monitoring: 15_014 };

/**
 * What the flags ask for; undefined for nothing. Who serves xDS on istiod's own port gets istiod's monitoring port as well, if it is free:
 * a second server on another port would not.
 *
 * @param unavailable told that a port which nobody asked for could not be opened
 */
export function debugOptions(
  { port, bind, monitoringPort, httpPort }: DebugFlags,
  unavailable: (error: FakeIstiodError) => void,
): DebugOptions | undefined {
  const monitoring = monitoringPort ?? (port === istiodPorts.xds ? istiodPorts.monitoring : false);
  if (monitoring === false && httpPort === undefined) return undefined;
  const [address] = bind ?? [];
  return {
    ...(monitoring === false ? {} : { monitoringPort: monitoring }),
    ...(httpPort === undefined ? {} : { httpPort }),
    ...(address === undefined ? {} : { bind: address }),
    onUnavailable(error: FakeIstiodError, kind: DebugPort) {
      if (kind === 'http' || monitoringPort !== undefined) throw error;
      unavailable(error);
    },
  };
}

/** What is said of istiod's own HTTP once it listens. */
export function debugLines({ monitoringUrl, httpUrl }: DebugAddresses): readonly string[] {
  return [
    ...(monitoringUrl === undefined ? [] : [`Metrics and debug pages are at ${monitoringUrl}/metrics and ${monitoringUrl}/debug.`]),
    ...(httpUrl === undefined ? [] : [`Whether it is ready is told at ${httpUrl}/ready.`]),
  ];
}
