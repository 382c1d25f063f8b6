import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** A timeout that has not passed yet. */
export const fetchTimeoutSet: Rule = {
  id: 'fetch-timeout-set',
  area: 'config',
  cause: 'the bootstrap sets a fetch timeout for CDS or LDS, after which Envoy becomes LIVE with nothing',
  symptom: '`initial_fetch_timeout` above zero, or left out (15 s), in the bootstrap',
  rulesOut: 'initial_fetch_timeout: 0s',
  next: 'fake-istiod check BOOTSTRAP',
  possible: (seen) =>
    seen.bootstraps
      .filter(({ isOverride }) => !isOverride)
      .flatMap(({ fetchTimeouts }) =>
        fetchTimeouts
          .filter(({ value }) => !/^0+(\.0+)?s$/.test(value ?? ''))
          .map(({ of, value, at }) => quoted(at, `${of}: initial_fetch_timeout ${value ?? 'left out: 15s'}`)),
      ),
};
