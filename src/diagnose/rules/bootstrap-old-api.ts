import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** A bootstrap from before 2021. */
export const bootstrapOldApi: Rule = {
  id: 'bootstrap-old-api',
  area: 'bootstrap',
  cause: 'the bootstrap is of the v1 or v2 API, which this Envoy does not speak any more',
  symptom: "exit 1; `no such field: 'hosts'`, `could not find @type 'type.googleapis.com/envoy.api.v2…'`",
  rulesOut: 'an Envoy before 1.18, which still reads v2',
  next: 'fake-istiod check BOOTSTRAP; fake-istiod bootstrap prints one in v3',
  words:
    /no such field: '(hosts|tls_context)'|could not find @type 'type\.googleapis\.com\/envoy\.(api\.v2|config\.[\w.]+\.v2)|The v2 xDS major version is deprecated/,
  fits: (seen, { class: kind }) =>
    kind === 'crash-loop' ? seen.bootstraps.flatMap(({ oldApi }) => oldApi.map(({ at, name }) => quoted(at, name))) : [],
  possible: (seen, { class: kind }) =>
    kind === 'unknown' ? seen.bootstraps.flatMap(({ oldApi }) => oldApi.map(({ at, name }) => quoted(at, name))) : [],
  refines: ['bootstrap-rejected'],
};
