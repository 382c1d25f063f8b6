import type { Response } from '../protocol/response.ts';

/** A finished response on its way out: when it leaves, if at all. */
export interface Delivery {
  readonly response: Response;
  /** Milliseconds it waits before it leaves. */
  readonly delayMs: number;
  /** Counted as sent but never leaves. */
  readonly dropped: boolean;
}
