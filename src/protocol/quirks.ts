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
  /** A node id that is not `<type>~<ip>~<name>~<domain>`. istiod refuses it with status 3; we take it unless asked, for Envoys that are no sidecars. */
  readonly 'node-id': 'any' | 'four-parts';
  /** The CA's service without TLS. istiod has none on 15010; we have one unless asked, for labs without certificates. */
  readonly 'ca-on-plaintext': 'serve' | 'refuse';
}

/** What istiod does (but for `node-id` and `ca-on-plaintext`, open by default). */
export const istiodQuirks: Quirks = {
  'stale-subscription': 'ignore',
  'nack-subscription': 'ignore',
  'resource-version': 'empty',
  'node-id': 'any',
  'ca-on-plaintext': 'serve',
};

/** What the xDS specification asks for. */
export const specQuirks: Quirks = {
  'stale-subscription': 'honour',
  'nack-subscription': 'honour',
  'resource-version': 'content',
  'node-id': 'any',
  'ca-on-plaintext': 'serve',
};
