import type { Rule } from '../rule.ts';

/** GOAWAY (istio#35755). */
export const plannedReconnect: Rule = {
  id: 'planned-reconnect',
  area: 'after',
  cause: 'istiod ends connections every half hour on purpose (keepalive max age), and Envoy comes back at once: nothing is wrong',
  symptom: '`closed: 13` or `14 … EOF, received prior goaway: code: NO_ERROR` now and then; LIVE and 200 all the time',
  rulesOut: 'the same within seconds, again and again',
  next: 'nothing; --keepaliveMaxServerConnectionAge of istiod',
  words: /received prior goaway.*NO_ERROR|error reading from server: EOF/,
  whenReady: true,
  harmless: true,
};
