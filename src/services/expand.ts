import { clusters } from './clusters.ts';
import { assignment, type Json } from './endpoints.ts';
import { listeners } from './listeners.ts';
import type { Mesh, ProxyView } from './mesh.ts';
import { routes } from './routes.ts';

/** What one proxy is served, by the keys of a resource file. */
export interface Expansion {
  readonly clusters: readonly Json[];
  readonly endpoints: readonly Json[];
  readonly listeners: readonly Json[];
  readonly routes: readonly Json[];
}

/** All that istiod makes of the services of `mesh` for the proxy of `view`, in istiod's names, in a form that stock Envoy takes. */
export function expand(mesh: Mesh, view: ProxyView): Expansion {
  return {
    clusters: clusters(mesh, view),
    endpoints: mesh.services.flatMap((service) =>
      service.ports.filter(({ protocol }) => protocol !== 'udp').map((port) => assignment(mesh, view, service, port)),
    ),
    listeners: listeners(mesh, view),
    routes: routes(mesh, view),
  };
}
