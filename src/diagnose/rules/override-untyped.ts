import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** The documented sample of Istio 1.8 (istio#30299). */
export const overrideUntyped: Rule = {
  id: 'override-untyped',
  area: 'bootstrap',
  cause: 'an extension of the bootstrap has the untyped `config` of the v2 API, which Envoy does not read any more',
  symptom: "exit 1; `Didn't find a registered implementation for 'envoy.zipkin' with type URL: ''`, or `no such field: 'config'`",
  rulesOut: 'typed_config with an @type in its place',
  next: 'look into the ConfigMap of sidecar.istio.io/bootstrapOverride; envoy --mode validate',
  shows: (seen, { class: kind }) => [
    ...(kind === 'crash-loop'
      ? seen.log(/Didn't find a registered implementation for '[^']+' with type URL: ''|no such field: 'config'/)
      : []),
    ...seen.bootstraps
      .filter(({ isOverride }) => isOverride || kind === 'crash-loop')
      .flatMap(({ untyped }) => untyped.map(({ at, name }) => quoted(at, `${name} has config, no typed_config`))),
  ],
  refines: ['bootstrap-rejected', 'bootstrap-old-api'],
  makes: 'crash-loop',
};
