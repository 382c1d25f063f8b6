import type { Rule } from '../rule.ts';

/** Old releases of Envoy do not say more (istio#23410). */
export const xdsConnectFails: Rule = {
  id: 'xds-connect-fails',
  area: 'connection',
  cause: 'connecting to istiod fails, and the log does not say how: refused, dropped or reset',
  symptom: '`closed: 14, … reset reason: connection failure` without a transport failure reason',
  rulesOut: 'CDS that comes',
  next: 'nc -vz -w 3 istiod.istio-system.svc 15012 in the pod: at once or after a while? kubectl get pods,endpoints -n istio-system',
  fits: (seen, { hasClusters }) =>
    hasClusters === true
      ? []
      : seen.log(/closed(?: since [^:]*)?: 14, .*reset reason: (remote )?connection failure(?!.*transport failure reason)/).slice(-1),
};
