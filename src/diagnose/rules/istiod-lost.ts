import type { Rule } from '../rule.ts';

/** Lost after LIVE. */
export const istiodLost: Rule = {
  id: 'istiod-lost',
  area: 'after',
  cause: 'istiod is lost since the proxy became LIVE: it keeps what it has, and hears of nothing new',
  symptom: 'LIVE and 200, `connected_state` 0',
  rulesOut: '`control_plane.connected_state` 1',
  next: 'the causes of a connection that fails, as at the start',
  shows: (seen, { state, isConnected }) => (state === 'LIVE' && isConnected === false ? seen.zero('control_plane.connected_state') : []),
  whenReady: true,
};
