import { isUnderWay, openStream } from '../asked.ts';
import type { Rule } from '../rule.ts';

/** Never asked. */
export const cdsNeverAsked: Rule = {
  id: 'cds-never-asked',
  area: 'config',
  cause: 'a stream is open, and CDS was never asked for on it',
  symptom: 'istiod sees a stream without a CDS request; `cds.update_attempt` 0',
  rulesOut: 'a CDS request on the stream',
  next: 'cds_config of the bootstrap; after a reconnect with delta: envoy#34334',
  shows: (seen, standing) =>
    isUnderWay(standing) && seen.zero('cluster_manager.cds.update_attempt').length > 0 && openStream(seen).length > 0
      ? seen.zero('cluster_manager.cds.update_attempt')
      : [],
};
