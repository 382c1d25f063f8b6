import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Only in the lab. */
export const gateClosed: Rule = {
  id: 'gate-closed',
  area: 'connection',
  cause: 'the gate of xDS is closed by a scenario of the lab',
  symptom: '`closed: 16, authentication failure`; `caller.turned-away` with `the gate is closed`',
  rulesOut: 'no `gates:` in the scenario',
  next: 'the scenario (`gates`), or the control API of fake-istiod',
  shows: (seen, standing) => (isHealed(standing) ? [] : seen.events('caller.turned-away', ({ service }) => service === 'xds')),
  refines: ['authentication-refused', 'stream-refused'],
};
