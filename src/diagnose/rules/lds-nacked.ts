import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** NACK of LDS (istio#39411). */
export const ldsNacked: Rule = {
  id: 'lds-nacked',
  area: 'rejected',
  cause: 'Envoy rejects LDS (NACK), as a whole or in part; the valid listeners of the response, and older ones, are in use all the same',
  symptom:
    "`lds.update_rejected` above zero, `lds: listener '…' config rejected: …`; LIVE all the same, pilot-agent says `config received … but was rejected`",
  rulesOut: '`lds.update_rejected` 0',
  next: "Envoy's words are in its log, in istiod's (`ACK ERROR`) and in error_state of the config_dump",
  shows: (seen, standing) => rejectedNow(seen, standing, 'LDS', /./),
  detail: (seen) => rejectionTexts(seen, 'LDS').at(-1),
  whenReady: true,
};
