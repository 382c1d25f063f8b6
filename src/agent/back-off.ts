/** The pauses between the tries of something that goes on for ever. */
export interface BackOff {
  /** The pause before the next try, in ms. */
  next(): number;
}

/** Numbers of at least 0 and below 1. */
export type Random = () => number;

const growth = 1.5;
const spread = 0.5;

/** pilot-agent's outer back-off (istio pkg/backoff): from 500 ms, half as much again each time, up to 60 s, each ± 50 %. */
export function exponentialBackOff(random: Random, initialMs = 500, maxMs = 60_000): BackOff {
  let intervalMs = initialMs;
  return {
    next() {
      const pauseMs = intervalMs * (1 - spread + 2 * spread * random());
      intervalMs = Math.min(intervalMs * growth, maxMs);
      return pauseMs;
    },
  };
}

/** How often one call to the CA is tried, the first time included (istio pkg/security/retry.go). */
export const caAttempts = 5;

/** The pause before try number `attempt` (from 1) of one call to the CA: 100 ms, twice as long each time, ± 10 %. */
export function caRetryPauseMs(attempt: number, random: Random): number {
  return 100 * 2 ** (attempt - 1) * (0.9 + 0.2 * random());
}

/** Canceled, DeadlineExceeded, ResourceExhausted, Aborted, Internal, Unavailable. */
const retried = new Set([1, 4, 8, 10, 13, 14]);

/** Whether a call to the CA that ended so is tried again at once. Unauthenticated is not. */
export function isRetriedByCaClient(code: number): boolean {
  return retried.has(code);
}

/** How long a certificate is used before the next is asked for: until half of its life is left, ± 1 % (SECRET_GRACE_PERIOD_RATIO). */
export function rotationDelayMs(createdMs: number, expiresMs: number, nowMs: number, grace: GraceRatio, random: Random): number {
  const jitter = random() * grace.jitter * (random() < 0.5 ? -1 : 1);
  const ratio = Math.min(Math.max(grace.ratio + jitter, 0), 1);
  return Math.max(expiresMs - ratio * (expiresMs - createdMs) - nowMs, 0);
}

/** The part of a certificate's life that is left when it is renewed, and how much that varies. */
export interface GraceRatio {
  readonly ratio: number;
  readonly jitter: number;
}
