import type { Rule } from '../rule.ts';

/** Shell quoting that was kept (istio#12436). */
export const overrideQuoted: Rule = {
  id: 'override-quoted',
  area: 'bootstrap',
  cause: 'a part of the configuration was given as a quoted text, not as a mapping',
  symptom: "exit 1; `Unable to convert YAML as JSON: '{…}'`",
  rulesOut: 'an override that parses to a mapping',
  next: 'take the quotes away that a shell would have taken; fake-istiod check OVERRIDE',
  words: /Unable to convert YAML as JSON|bootstrap override is no mapping/,
  refines: ['bootstrap-rejected'],
  makes: 'crash-loop',
};
