import type { Rule } from '../rule.ts';

/** A crash in the true sense. */
export const proxyCrashed: Rule = {
  id: 'proxy-crashed',
  area: 'pod',
  cause: 'the proxy was ended by a signal of its own making: it crashed, and its configuration was not refused',
  symptom: 'exit code 139 or 134; Envoy: `Caught Segmentation fault`, `assert failure`; pilot-agent: `panic:`',
  rulesOut: 'exit code 1, 137 or 143',
  next: 'the backtrace in kubectl logs POD -c istio-proxy --previous; is there a newer release?',
  words: /Caught (Segmentation fault|Aborted|Bus error|Illegal instruction|SIG(SEGV|ABRT|BUS|ILL))|^(panic|fatal error): |assert failure: /,
  shows: (seen) =>
    seen
      .of('container')
      .filter(({ name, exitCode, lastExitCode }) => name === 'istio-proxy' && [132, 134, 135, 139].includes(exitCode ?? lastExitCode ?? 0)),
  makes: 'crash-loop',
  whenReady: true,
};
