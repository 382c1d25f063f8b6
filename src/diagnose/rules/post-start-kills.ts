import type { Rule } from '../rule.ts';

/** `holdApplicationUntilProxyStarts` turns not ready into restarts (istio#41086). */
export const postStartKills: Rule = {
  id: 'post-start-kills',
  area: 'pod',
  cause: 'the postStart hook waits 60 s for a proxy that does not get ready, and the kubelet kills the container for it',
  symptom: '`FailedPostStartHook`, restarts without end, exit code 0, 137 or 143: it looks like a crash, and Envoy never crashed',
  rulesOut: 'a critical line of Envoy about its configuration, or exit code 1',
  next: 'look for why the proxy is not ready: kubectl logs POD -c istio-proxy --previous',
  kubeWords: /FailedPostStartHook|PostStartHookError/,
  possible: (seen, { class: kind }) =>
    kind === 'crash-loop' ? seen.of('workload').flatMap(({ workload }) => workload.postStartWait ?? []) : [],
  makes: 'not-ready',
  overrules: true,
};
