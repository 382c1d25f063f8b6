import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** Nothing is asked. */
export const noDynamicConfig: Rule = {
  id: 'no-dynamic-config',
  area: 'bootstrap',
  cause: 'the bootstrap asks for nothing: it has neither cds_config nor lds_config',
  symptom: 'LIVE at once, `cds.update_attempt` not there; istiod sees no request',
  rulesOut: 'dynamic_resources in the bootstrap',
  next: 'fake-istiod check BOOTSTRAP',
  shows: (seen, { state }) =>
    state === undefined
      ? []
      : seen.bootstraps
          .filter(({ isDynamic, isOverride }) => !isDynamic && !isOverride)
          .map(({ at }) => quoted(at, 'no dynamic_resources')),
  whenReady: true,
};
