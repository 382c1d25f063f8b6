import type { Rule } from '../rule.ts';

/** Any other word of Envoy about its bootstrap. */
export const bootstrapRejected: Rule = {
  id: 'bootstrap-rejected',
  area: 'bootstrap',
  cause: 'Envoy rejects its bootstrap and exits',
  symptom: 'exit 1 within a second; one critical line `error initializing config`; the same by --mode validate',
  rulesOut: '`configuration OK` of --mode validate with the same flags',
  next: 'envoy --mode validate -c BOOTSTRAP, with and without --allow-unknown-static-fields',
  shows: (seen, { class: kind }) =>
    kind === 'crash-loop'
      ? seen.log(
          /initializing config|^error initializing configuration|Protobuf message .* has unknown fields|Unable to parse JSON as proto|Proto constraint validation failed|yaml-cpp: error|must refer to an existing path|Didn't find a registered implementation|Only one of ApplicationLogConfig/,
        )
      : [],
  makes: 'crash-loop',
};
