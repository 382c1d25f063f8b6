import { build, buildText } from './build.ts';
import { connectionsOf, metadataText } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';
import { Gauge } from './metric.ts';
import type { MetricFamily, Sample } from './prometheus-text.ts';

/** What is the case now, under istiod's names, and what Prometheus has of every process. */
export function liveMetrics(istiod: DebuggedIstiod): readonly MetricFamily[] {
  /** A version of which none is connected any more stays, at 0. */
  const versions = new Set<string>();
  return [
    new Gauge('pilot_info', 'Version and build of the control plane.', () => [{ labels: { version: buildText() }, value: 1 }]),
    new Gauge('istio_build', 'Version of each component.', () => [{ labels: { component: 'pilot', tag: build().tag }, value: 1 }]),
    new Gauge('istiod_uptime_seconds', 'Seconds since the server started.', () => istiod.timeline.nowMs / 1000),
    new Gauge('pilot_xds', 'Streams of proxies that are connected, by version of Istio.', () => connected(istiod, versions)),
    new Gauge('pilot_services', 'Services of the mesh.', () => istiod.mesh?.services.length ?? 0),
    new Gauge('pilot_virt_services', 'Virtual services, of which there are none.', () => 0),
    new Gauge('process_start_time_seconds', 'When the process began, in seconds since 1970.', () => Date.now() / 1000 - process.uptime()),
    new Gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
  ];
}

function connected(istiod: DebuggedIstiod, versions: Set<string>): Iterable<Sample> {
  const counts = new Map([...versions].map((version) => [version, 0]));
  for (const { node } of connectionsOf(istiod)) {
    const version = metadataText(node, 'ISTIO_VERSION');
    versions.add(version);
    counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return [...counts].map(([version, value]) => ({ labels: { version }, value }));
}
