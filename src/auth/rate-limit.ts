import type { Clock } from '../clock.ts';

/**
 * At most so many new streams in a second, and one at once, as istiod's limiter (PILOT_MAX_REQUESTS_PER_SECOND, burst 1): a bucket that
 * fills evenly. istiod lets a stream wait for up to a second before it refuses; so long a wait is not imitated.
 */
export class RateLimit {
  private readonly perSecond: number;
  private readonly clock: Clock;
  private nextMs = -Infinity;

  constructor(perSecond: number, clock: Clock) {
    this.perSecond = perSecond;
    this.clock = clock;
  }

  /** True if one more may pass now; it is counted then. */
  admits(): boolean {
    const now = this.clock.now();
    if (now < this.nextMs) return false;
    this.nextMs = Math.max(now, this.nextMs) + 1000 / this.perSecond;
    return true;
  }
}
