import type { Clock } from '../clock.ts';
import { TypeUrl } from '../protocol/resource-type.ts';
import type { Response } from '../protocol/response.ts';

interface Pending {
  readonly response: Response;
  readonly leavesAt: number;
}

/**
 * Responses of one stream that wait on purpose. None overtakes an earlier one of its type, and EDS that follows a CDS never overtakes
 * that CDS, however late timers are.
 */
export class Outbox {
  /** In the order of leaving. */
  private pending: readonly Pending[] = [];
  private callOff: () => void = () => undefined;
  private leaving = false;
  private readonly clock: Clock;
  private readonly leave: (response: Response) => void;

  /** `leave` hands a response to the transport. */
  constructor(clock: Clock, leave: (response: Response) => void) {
    this.clock = clock;
    this.leave = leave;
  }

  /** Milliseconds that `response` has to wait if it is to wait for `delayMs` and may not overtake. */
  waitFor({ typeUrl, cause }: Response, delayMs: number): number {
    if (this.pending.length === 0) return Math.max(0, delayMs);
    const ahead = this.pending.filter(
      (other) => other.response.typeUrl === typeUrl || (cause === 'warming' && other.response.typeUrl === TypeUrl.cluster),
    );
    const now = this.clock.now();
    return Math.max(now + delayMs, ...ahead.map(({ leavesAt }) => leavesAt)) - now;
  }

  /** Takes a response in; it leaves after `waitMs`, at once if that is 0. */
  add(response: Response, waitMs: number): void {
    if (waitMs <= 0 && this.pending.length === 0 && !this.leaving) return this.pass(response);
    const leavesAt = this.clock.now() + waitMs;
    const later = this.pending.findIndex((other) => other.leavesAt > leavesAt);
    const place = later === -1 ? this.pending.length : later;
    this.pending = this.pending.toSpliced(place, 0, { response, leavesAt });
    this.flush();
  }

  /** Forgets what still waits. */
  clear(): void {
    this.callOff();
    this.pending = [];
  }

  /** Lets a response go that has nothing to wait for, as nearly all have. */
  private pass(response: Response): void {
    this.leaving = true;
    this.leave(response);
    this.leaving = false;
    if (this.pending.length > 0) this.flush();
  }

  /** Lets go what is due; a listener that adds more while something leaves does not change the order. */
  private flush(): void {
    if (this.leaving) return;
    this.leaving = true;
    this.callOff();
    for (let next = this.pending[0]; next && next.leavesAt <= this.clock.now(); next = this.pending[0]) {
      this.pending = this.pending.slice(1);
      this.leave(next.response);
    }
    this.leaving = false;
    const [head] = this.pending;
    if (head) this.callOff = this.clock.after(head.leavesAt - this.clock.now(), () => this.flush());
  }
}
