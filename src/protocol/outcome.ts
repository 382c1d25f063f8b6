import type { ClientRequest, Outcome } from './request.ts';
import type { VariantRules } from './variant.ts';
import type { Watch } from './watch.ts';

/**
 * What a request says of our last response of its type.
 *
 * The first request of a type on a stream is `initial` whatever it carries: after a reconnect it may bring a version, and real istioctl even
 * brings a nonce. After that, `error_detail` and nothing else makes a NACK (a version that differs does not), and an answer to any
 * response but the last is `stale`.
 */
export function classify(watch: Watch | undefined, request: ClientRequest, rules: VariantRules): Outcome {
  if (!watch) return 'initial';
  if (request.nonce === '' && !request.errorDetail) return rules.emptyNonce;
  if (request.nonce !== watch.lastSent?.nonce) return 'stale';
  return request.errorDetail ? 'nack' : 'ack';
}
