/**
 * Where istiod and the xDS specification differ, istiod is the default (a fake that is better than the real one hides bugs) and
 * the specification is the alternative. One line per difference; nothing else in the code knows of istiod's habits.
 */
export interface Quirks {
  /** Delta: a subscription change that comes with a nonce older than our last response (istio delta.go:shouldRespondDelta returns early). */
  readonly 'stale-subscription': 'ignore' | 'honour';
  /** A subscription change that comes with a NACK (istio ads.go and delta.go return early on error_detail). */
  readonly 'nack-subscription': 'ignore' | 'honour';
  /** Delta: `Resource.version`. istiod leaves it empty, so nothing can be skipped after a reconnect. */
  readonly 'resource-version': 'empty' | 'content';
  /**
   * EDS for a cluster that is not served: an empty ClusterLoadAssignment, with which the cluster finishes warming (istio
   * endpoint_builder.go builds one for any name), or no word, with which it warms for ever.
   */
  readonly 'unknown-endpoints': 'empty' | 'silent';
  /** Delta: a name asked for that is not served (but for EDS, see above): no word, as istiod, or `removed_resources`, as the specification has it. */
  readonly 'missing-name': 'silent' | 'removed';
  /**
   * A type that is in no table and of which nothing is served: an empty response; no response; or the end of the stream, as by istiod,
   * whose last resort is a generator for control planes only (istio apigen.go:authorize). We answer unless asked, for clients of other kinds.
   */
  readonly 'unknown-type': 'empty' | 'ignore' | 'close';
  /** A node id that is not `<type>~<ip>~<name>~<domain>`. istiod refuses it with status 3; we take it unless asked, for Envoys that are no sidecars. */
  readonly 'node-id': 'any' | 'four-parts';
  /** The CA's service without TLS. istiod has none on 15010; we have one unless asked, for labs without certificates. */
  readonly 'ca-on-plaintext': 'serve' | 'refuse';
  /**
   * Whether who asks for `istio.io/debug…`, or from elsewhere for `/debug/…`, has to have proved an identity (istio statusgen.go, debug.go).
   * A client of plaintext alone has none.
   */
  readonly 'debug-identity': 'required' | 'any';
  /**
   * Proxies without a PROXY_CONFIG in their metadata in `istio.io/debug/syncz`. istiod leaves them out (istio statusgen.go:isProxy); we list
   * them unless asked, for Envoys that are no sidecars.
   */
  readonly 'plain-proxies': 'listed' | 'hidden';
}

/** What istiod does (but for `unknown-type`, `node-id`, `ca-on-plaintext` and `plain-proxies`, open by default). */
export const istiodQuirks: Quirks = {
  'stale-subscription': 'ignore',
  'nack-subscription': 'ignore',
  'resource-version': 'empty',
  'unknown-endpoints': 'empty',
  'missing-name': 'silent',
  'unknown-type': 'empty',
  'node-id': 'any',
  'ca-on-plaintext': 'serve',
  'debug-identity': 'required',
  'plain-proxies': 'listed',
};

/** What the xDS specification asks for. */
export const specQuirks: Quirks = {
  'stale-subscription': 'honour',
  'nack-subscription': 'honour',
  'resource-version': 'content',
  'unknown-endpoints': 'silent',
  'missing-name': 'removed',
  'unknown-type': 'empty',
  'node-id': 'any',
  'ca-on-plaintext': 'serve',
  'debug-identity': 'required',
  'plain-proxies': 'listed',
};
