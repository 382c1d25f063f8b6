import type { Rule } from '../rule.ts';

/** Clock skew (istio#32976). */
export const tlsNotYetValid: Rule = {
  id: 'tls-not-yet-valid',
  area: 'connection',
  cause: "istiod's certificate is not valid yet: the clocks differ, or it is very new",
  symptom: '`ssl.fail_verify_error` grows; `certificate_is_not_yet_valid`, in Go `current time … is before …`; heals by itself',
  rulesOut: 'a notBefore in the past, by the clock of the pod',
  next: 'date -u on both nodes; openssl x509 -noout -dates',
  words: /certificate_is_not_yet_valid|not yet valid: current time \S+ is before|certificate is not yet valid/,
  detail: (seen) => {
    const match = /current time (\S+) is before (\S+?Z)/.exec(seen.log(/current time \S+ is before/).at(-1)?.text ?? '');
    if (!match) return undefined;
    const seconds = Math.round((Date.parse(match[2] ?? '') - Date.parse(match[1] ?? '')) / 1000);
    return Number.isFinite(seconds) ? `the clocks are ${seconds} s apart, or more` : undefined;
  },
  refines: ['tls-unverified', 'tls-expired', 'xds-refused'],
};
