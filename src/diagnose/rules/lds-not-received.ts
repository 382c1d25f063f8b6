import type { Rule } from '../rule.ts';

/** By pilot-agent's words alone (istio#13939). */
export const ldsNotReceived: Rule = {
  id: 'lds-not-received',
  area: 'config',
  cause: 'clusters came and listeners did not: LDS is not asked for while a cluster waits for EDS or SDS, or it is not answered',
  symptom: 'pilot-agent: `cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 0 rejected`',
  rulesOut: 'lds updates: 1 successful',
  next: 'which of the two: curl -s localhost:15000/server_info (PRE_INITIALIZING: a cluster warms; INITIALIZING: LDS); istioctl proxy-status (NOT SENT)',
  fits: (seen, { state, hasClusters, hasListeners, class: kind }) =>
    kind === 'not-ready' &&
    state === undefined &&
    hasClusters === true &&
    hasListeners === false &&
    seen.positive('listener_manager.lds.update_rejected').length === 0
      ? seen.log(/cds updates: [1-9]\d* successful, .* lds updates: 0 successful/).slice(-1)
      : [],
};
