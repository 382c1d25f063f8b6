import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** NACK of CDS. */
export const cdsNacked: Rule = {
  id: 'cds-nacked',
  area: 'rejected',
  cause: 'Envoy rejects CDS (NACK), as a whole or in part; the valid clusters of the response are in use all the same',
  symptom:
    "`cds.update_rejected` above zero, `cds: cluster '…' config rejected: …`; LIVE all the same, pilot-agent says `config received … but was rejected`, or, if LDS is rejected too, `config not received`",
  rulesOut: '`cds.update_rejected` 0',
  next: "Envoy's words are in its log, in istiod's (`ACK ERROR`) and in error_state of the config_dump",
  shows: (seen, standing) => rejectedNow(seen, standing, 'CDS', /./),
  detail: (seen) => rejectionTexts(seen, 'CDS').at(-1),
  whenReady: true,
};
