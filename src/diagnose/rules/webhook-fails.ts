import type { Rule } from '../rule.ts';

/** The injector is not reached. */
export const webhookFails: Rule = {
  id: 'webhook-fails',
  area: 'pod',
  cause: "the API server cannot call istiod's webhook, so it creates no pods",
  symptom: 'event `FailedCreate` of the ReplicaSet: `failed calling webhook … sidecar-injector.istio.io`; no pod at all',
  rulesOut: 'a pod of that ReplicaSet',
  next: 'kubectl get pods,endpoints -n istio-system; port 15017 of istiod from the API server (a firewall of a private cluster); its caBundle',
  kubeWords: /failed (calling|to call) (admission )?webhook .*(istio|sidecar-injector)/,
  words: /failed (calling|to call) (admission )?webhook .*(istio|sidecar-injector)/,
  makes: 'never-started',
};
