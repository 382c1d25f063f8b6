import type { Rule } from '../rule.ts';
import { passedTimeouts } from '../standing.ts';

/** False LIVE. */
export const fetchTimeoutPassed: Rule = {
  id: 'fetch-timeout-passed',
  area: 'config',
  cause: 'a fetch timeout passed, and Envoy went on without what it waited for',
  symptom:
    "`initial fetch timed out for …`; `init_fetch_timeout` above zero; LIVE 15 or 30 s after the start (Envoy's default is 15 s each for CDS and LDS)",
  rulesOut: 'initial_fetch_timeout 0s in the bootstrap and in all that istiod sends',
  next: 'why nothing came in that time; set initial_fetch_timeout: 0s',
  shows: (seen, standing) => (standing.class === 'ready' ? [] : passedTimeouts(seen)),
  detail: (seen) => {
    const names = passedTimeouts(seen).flatMap(
      ({ says }) =>
        /timed out for (?:type\.googleapis\.com\/)?(\S+)/.exec(says)?.[1] ?? /^(\S+?)[._]init_fetch_timeout/.exec(says)?.[1] ?? [],
    );
    return names.length > 0 ? `nothing came for ${[...new Set(names)].join(', ')}` : undefined;
  },
};
