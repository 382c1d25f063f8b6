import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** Extension (istio#49764). */
export const extensionUnknown: Rule = {
  id: 'extension-unknown',
  area: 'rejected',
  cause: 'a filter has no typed_config, or is an extension that this Envoy does not have: the response is NACKed',
  symptom: "`Didn't find a registered implementation for '…' with type URL: '…'`; `could not find @type`",
  rulesOut: 'an Envoy of the same build as istiod expects (stock Envoy has no istio.* extensions)',
  next: 'envoy --version; which EnvoyFilter or WasmPlugin adds that filter',
  shows: (seen, standing) =>
    standing.class === 'crash-loop'
      ? []
      : [
          ...rejectedNow(seen, standing, 'LDS', /Didn't find a registered implementation|could not find @type|Unable to unpack/),
          ...rejectedNow(seen, standing, 'CDS', /Didn't find a registered implementation|could not find @type/),
        ],
  detail: (seen) =>
    /registered implementation for '([^']*)'/.exec([...rejectionTexts(seen, 'LDS'), ...rejectionTexts(seen, 'CDS')].join(' '))?.[1],
  refines: ['other-nacked', 'lds-nacked', 'cds-nacked'],
  whenReady: true,
};
