import type { Rule } from '../rule.ts';

/** iptables (istio#24148, istio#33239). */
export const istioInitFails: Rule = {
  id: 'istio-init-fails',
  area: 'pod',
  cause: 'istio-init cannot set the rules that redirect traffic, so no other container of the pod starts',
  symptom: '`Init:CrashLoopBackOff`, `Init:Error`; istio-init: `iptables-restore …` and an exit status',
  rulesOut: 'an istio-init that ended with exit code 0',
  next: 'kubectl logs POD -c istio-init: may it (NET_ADMIN, NET_RAW), has the node the kernel modules (iptable_nat), do rules stand already? Else istio-cni',
  words:
    /(iptables|ip6tables)(-restore)?(-legacy|-nft)?( v[\d.]+ \S+)?: .*(unable to initialize|No chain|Permission denied|can't initialize|Chain already exists|not permitted)|(Failed to execute|Command error output): .*(iptables|ip6tables|xtables)/,
  shows: (seen) =>
    seen
      .of('container')
      .filter(
        ({ name, reason, exitCode, lastExitCode }) =>
          name === 'istio-init' && (/^(CrashLoopBackOff|Error)$/.test(reason ?? '') || (exitCode ?? lastExitCode ?? 0) !== 0),
      ),
  makes: 'never-started',
};
