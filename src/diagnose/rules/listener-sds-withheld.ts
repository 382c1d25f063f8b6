import { unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';
import { isListenerStuck, isListenerStuckBy, isStuckListening, waitingFor, waitingListeners } from '../stuck.ts';

/** SDS of listeners (istio#14739). */
export const listenerSdsWithheld: Rule = {
  id: 'listener-sds-withheld',
  area: 'config',
  cause: 'a certificate that a listener needs does not come: SDS is not answered, as for a secret that does not exist',
  symptom: 'INITIALIZING; `cds` and `lds.update_success` 1, listeners count as active, no port is bound; secrets `uninitialized`',
  rulesOut: 'an init_dump without SDS',
  next: 'curl -s localhost:15000/init_dump; credentialName of the Gateway: kubectl get secret -n NAMESPACE',
  shows: (seen, standing) =>
    isStuckListening(standing)
      ? [...withheld(seen, 'SDS'), ...seen.waits(/SdsApi|\bSDS\b/), ...seen.resources('SDS', 'warming'), ...unanswered(seen, 'SDS')]
      : [],
  detail: (seen) => waitingFor(seen, 'SDS', waitingListeners(seen, /Sds/)),
  fits: (seen, standing) => (isStuckListening(standing) && isListenerStuck(seen) ? isListenerStuckBy(seen) : []),
};
