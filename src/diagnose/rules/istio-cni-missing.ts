import type { Rule } from '../rule.ts';

/** istio-cni (istio#22913). */
export const istioCniMissing: Rule = {
  id: 'istio-cni-missing',
  area: 'pod',
  cause: 'istio-validation finds the traffic of the pod not redirected: the plugin istio-cni has not set its rules',
  symptom: '`Init:CrashLoopBackOff`; istio-validation: `Error connecting to 127.0.0.6:15002`, `validation timeout`',
  rulesOut: 'an istio-validation that ended with exit code 0',
  next: 'kubectl get pods -n kube-system -l k8s-app=istio-cni-node -o wide (on that node, and ready before the pod came?); then delete the pod',
  words: /Error connecting to 127\.0\.0\.6:15002|validation timeout/,
  shows: (seen) =>
    seen
      .of('container')
      .filter(
        ({ name, reason, exitCode, lastExitCode }) =>
          name === 'istio-validation' && (/^(CrashLoopBackOff|Error)$/.test(reason ?? '') || (exitCode ?? lastExitCode ?? 0) !== 0),
      ),
  makes: 'never-started',
};
