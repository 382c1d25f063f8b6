import type { Rule } from '../rule.ts';

/** Not ready yet. */
export const istiodNotReady: Rule = {
  id: 'istiod-not-ready',
  area: 'connection',
  cause: 'istiod is not ready: its caches are not full yet, and it refuses every stream',
  symptom: '`closed: 14` (SotW) or `closed: 2` (delta), `server is not ready to serve discovery information`; heals by itself',
  rulesOut: '200 from istiod on 8080/ready',
  next: 'kubectl get pods -n istio-system; kubectl logs -n istio-system deploy/istiod | grep synced',
  words: /server is not ready to serve discovery information/,
  refines: ['stream-refused'],
};
