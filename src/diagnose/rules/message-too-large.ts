import type { Rule } from '../rule.ts';

/** 8, size (istio#55820). */
export const messageTooLarge: Rule = {
  id: 'message-too-large',
  area: 'connection',
  cause: 'a message is larger than the gRPC limit of the Go side (4 MiB): a push to the agent, or a request to istiod',
  symptom: '`closed: 8, … received message larger than max (6610145 vs 4194304)`',
  rulesOut: 'a smaller push: Sidecar resources, exportTo',
  next: 'ISTIO_GPRC_MAXRECVMSGSIZE (spelled so) of pilot-agent and istiod; what is so large: /config_dump',
  words: /received message larger than max/,
  detail: (seen) => /larger than max \((\d+ vs\.? \d+)\)/.exec(seen.log(/larger than max/).at(-1)?.text ?? '')?.[1],
  refines: ['stream-refused', 'rate-limited'],
};
