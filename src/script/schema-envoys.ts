import * as v from 'valibot';
import { described, durationForm, form, listOf, mapOf, text } from './schema-parts.ts';
import { proxyIdentityEntries } from './schema-proxy.ts';

const object = mapOf(v.unknown(), 'a map');
const labels = mapOf(text, 'a map of labels');

/** Who the proxy says it is, in the words of Istio. */
const nodeWishForm = form('the node of an Envoy', {
  id: v.optional(described(text, 'The whole node id; default sidecar~IP~NAME.NAMESPACE~NAMESPACE.svc.cluster.local')),
  ip: v.optional(described(text, "The pod's IP address")),
  name: v.optional(described(text, "The pod's name")),
  namespace: v.optional(described(text, 'Default default')),
  workload: v.optional(described(text, 'WORKLOAD_NAME')),
  cluster_id: v.optional(described(text, 'CLUSTER_ID: the registry in which istiod looks for the pod; default Kubernetes')),
  network: v.optional(described(text, 'NETWORK; default: none is told')),
  locality: v.optional(described(text, 'region/zone/subzone')),
  labels: v.optional(described(labels, "LABELS: the pod's labels")),
  metadata: v.optional(described(object, 'More metadata; null takes a key away')),
});
export type NodeWishForm = v.InferOutput<typeof nodeWishForm>;

const bootstrapEntries = {
  node: v.optional(described(nodeWishForm, 'Who the proxy says it is')),
  fetch_timeout: v.optional(
    described(durationForm, "initial_fetch_timeout of CDS and LDS; default 0s, which waits for ever as Istio's does"),
  ),
  ads_cluster: v.optional(described(text, 'The cluster that ads_config names; the static cluster is always xds-grpc')),
  istiods: v.optional(
    described(listOf(text, 'names of istiods'), 'Which of several istiods are asked, the first one first; default all, as they are listed'),
  ),
  ...proxyIdentityEntries,
  merge: v.optional(described(object, 'Laid over the bootstrap: maps merge, lists replace, null deletes')),
};

export const bootstrapForm = form('bootstrap', bootstrapEntries);
export type BootstrapForm = v.InferOutput<typeof bootstrapForm>;

/** One of several Envoys as written. */
export const envoyEntryForm = form('an entry of envoys', {
  name: described(text, 'By which steps and expectations mean it: letters, digits and dashes'),
  ...bootstrapEntries,
  args: v.optional(described(listOf(text, 'arguments'), "More arguments for this Envoy's command line")),
});
export type EnvoyEntryForm = v.InferOutput<typeof envoyEntryForm>;
