import { eventRoutes } from './event-routes.ts';
import { identityRoutes } from './identity-routes.ts';
import { journalRoutes } from './journal-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { ruleRoutes } from './rule-routes.ts';
import { scenarioRoutes } from './scenario-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { snapshotRoutes } from './snapshot-routes.ts';

/**
 * Every operation, by its id. From here come the routing, what is checked of requests, `openapi.json`, the client and the tables of
 * docs/control.md.
 */
export const routes = {
  ...serverRoutes,
  ...nodeRoutes,
  ...snapshotRoutes,
  ...ruleRoutes,
  ...identityRoutes,
  ...scenarioRoutes,
  ...eventRoutes,
  ...journalRoutes,
};
export type Routes = typeof routes;
