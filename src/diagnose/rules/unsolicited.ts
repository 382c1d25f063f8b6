import type { Rule } from '../rule.ts';

/** Sent unasked (envoy#4716). */
export const unsolicited: Rule = {
  id: 'unsolicited',
  area: 'config',
  cause: 'istiod sent a type before Envoy asked for it; Envoy drops that, and it is not sent again',
  symptom: '`Ignoring the message for type URL … as it has no current subscribers`',
  rulesOut: 'the type answered again after its request',
  next: "the order of requests and responses in istiod's log",
  shows: (seen, standing) =>
    standing.state === 'LIVE' ? [] : seen.log(/Ignoring the message for type URL \S+ as it has no current subscribers/),
  detail: (seen) => /type URL \S*\.(\w+) as it has/.exec(seen.log(/Ignoring the message/).at(-1)?.text ?? '')?.[1],
  refines: ['lds-withheld', 'cds-withheld'],
};
