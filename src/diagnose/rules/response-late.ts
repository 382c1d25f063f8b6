import type { Rule } from '../rule.ts';

/** Slow. */
export const responseLate: Rule = {
  id: 'response-late',
  area: 'config',
  cause: 'istiod is slow with a response: it is on its way',
  symptom: 'as withheld, and then it comes; `response.delayed` in the timeline',
  rulesOut: 'a look a little later that is the same',
  next: 'look again; the size of the push, the load of istiod',
  shows: (seen, standing) =>
    standing.state === 'LIVE'
      ? []
      : seen.events('response.delayed', ({ type }) => seen.events('response.sent', (sent) => sent['type'] === type).length === 0).slice(-1),
  refines: ['cds-withheld', 'lds-withheld', 'eds-withheld', 'rds-withheld'],
};
