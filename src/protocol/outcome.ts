import type { ClientRequest, Outcome } from './request.ts';
import type { VariantRules } from './variant.ts';
import { unansweredOf, type Watch } from './watch.ts';

/**
 * What a request says of our last response of its type.
 *
 * The first request of a type on a stream is `initial` whatever it carries: after a reconnect it may bring a version, and real istioctl even
 * brings a nonce. After that, `error_detail` and nothing else makes a NACK (a version that differs does not), and an answer to any
 * response but the last is `stale`. A response is answered once: a later request with the same nonce only changes the subscription
 * (a SotW client that rejected a response repeats its nonce without `error_detail` when it asks for more; that is no ACK).
 */
export function classify(watch: Watch | undefined, request: ClientRequest, rules: VariantRules): Outcome {
  if (!watch) return 'initial';
  if (!watch.lastSent || (request.nonce === '' && !request.errorDetail)) return rules.emptyNonce;
  if (request.nonce !== watch.lastSent.nonce) return 'stale';
  if (request.errorDetail) return 'nack';
  return unansweredOf(watch, request.nonce) ? 'ack' : 'spontaneous';
}
