import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Cluster id (istio#52065). */
export const clusterIdUnknown: Rule = {
  id: 'cluster-id-unknown',
  area: 'connection',
  cause: 'the proxy says that it is of a cluster that istiod has never heard of',
  symptom: '`closed: 16, authentication failure`; istiod: `client claims to be in cluster "…", but we only know about local cluster "…"`',
  rulesOut: "that id among istiod's own (CLUSTER_ID), its aliases and its remote secrets",
  next: "ISTIO_META_CLUSTER_ID of the proxy against istiod's CLUSTER_ID; istioctl remote-clusters",
  words: /client claims to be in cluster|could not get cluster .*'s kube client|from an unknown cluster/,
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('token.rejected', ({ reason }) => /claims to be in cluster/.test(String(reason))),
  detail: (seen) =>
    /in cluster "([^"]*)".*local cluster "([^"]*)"/
      .exec(
        [
          ...seen.log(/claims to be in cluster/).map(({ text }) => text),
          ...seen.events('token.rejected').map(({ fields }) => String(fields['reason'])),
        ].at(-1) ?? '',
      )
      ?.slice(1, 3)
      .join(' is not '),
  refines: ['authentication-refused', 'stream-refused'],
};
