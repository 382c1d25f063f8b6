import { isUnderWay, subscribedNames, unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';

/** Runtime. */
export const rtdsWithheld: Rule = {
  id: 'rtds-withheld',
  area: 'config',
  cause: 'runtime values do not come: RTDS is not answered, and Envoy asks for nothing else before',
  symptom: 'PRE_INITIALIZING; CDS is never asked for: `cds.update_attempt` 0 or not there; `runtime.LAYER.update_attempt` 1',
  rulesOut: 'no rtds_layer in layered_runtime of the bootstrap',
  next: 'layered_runtime of the bootstrap; does this control plane serve RTDS? istiod does not',
  shows: (seen, standing) =>
    isUnderWay(standing) && standing.state !== 'INITIALIZING' ? [...withheld(seen, 'RTDS'), ...unanswered(seen, 'RTDS')] : [],
  detail: (seen) => subscribedNames('RTDS', unanswered(seen, 'RTDS')).join(', ') || undefined,
  refines: ['cds-never-asked', 'xds-silent', 'cds-withheld'],
};
