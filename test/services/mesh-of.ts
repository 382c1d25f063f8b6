import { scenarioOf } from '../script/written.ts';
import type { Mesh } from '../../src/services/mesh.ts';
import { proxyView } from '../../src/services/proxy-view.ts';
import type { ProxyView } from '../../src/services/mesh.ts';

/** The mesh of a scenario text, from `services:` on. */
export async function meshOf(text: string): Promise<Mesh> {
  const { layers } = await scenarioOf(`title: t\n${text}`);
  const content = layers[0]?.content?.[0];
  if (content?.kind !== 'services') throw new Error('no services in it');
  return content.mesh;
}

/** A sidecar at 10.0.0.1 in namespace default. */
export function viewOf(metadata: Readonly<Record<string, string>> = {}, ip = '10.0.0.1'): ProxyView {
  return proxyView({ id: `sidecar~${ip}~web.default~default.svc.cluster.local`, metadata });
}
