import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** Duplicate address (istio#41239). */
export const listenerAddressClash: Rule = {
  id: 'listener-address-clash',
  area: 'rejected',
  cause: 'a listener has the address of another, often of a static one of the bootstrap (15021, 15090): LDS is NACKed',
  symptom: "`has duplicate address '…' as existing listener`; `lds.update_rejected` above zero, LIVE",
  rulesOut: 'no Service on 15021 or 15090',
  next: 'kubectl get svc -A | grep -E "15021|15090"',
  shows: (seen, standing) => rejectedNow(seen, standing, 'LDS', /has duplicate address/),
  detail: (seen) => /has duplicate address '([^']+)'/.exec(rejectionTexts(seen, 'LDS').join(' '))?.[1],
  refines: ['lds-nacked'],
  whenReady: true,
};
