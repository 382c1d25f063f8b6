import { unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';
import { isListenerStuck, isListenerStuckBy, isStuckListening, waitingFor, waitingListeners } from '../stuck.ts';

/** ECDS (envoy#30379). */
export const ecdsWithheld: Rule = {
  id: 'ecds-withheld',
  area: 'config',
  cause: 'the configuration of a filter does not come: ECDS is not answered',
  symptom: 'INITIALIZING; `cds` and `lds.update_success` 1, `workers_started` 0; init_dump names `FilterConfigSubscription`',
  rulesOut: 'an init_dump without it',
  next: 'curl -s localhost:15000/init_dump; the WasmPlugin or EnvoyFilter that adds the filter',
  shows: (seen, standing) =>
    isStuckListening(standing)
      ? [...withheld(seen, 'ECDS'), ...seen.waits(/FilterConfig|ExtensionConfig|DynamicFilter/), ...unanswered(seen, 'ECDS')]
      : [],
  detail: (seen) => waitingFor(seen, 'ECDS', waitingListeners(seen, /FilterConfig/)),
  fits: (seen, standing) => (isStuckListening(standing) && isListenerStuck(seen) ? isListenerStuckBy(seen) : []),
};
