import type { Node } from '../protocol/node.ts';
import type { Status } from '../protocol/response.ts';
import { matchesStream, type StreamSort } from '../protocol/stream-matcher.ts';
import type { StreamDescription } from './stream-port.ts';

/** New streams that are not let in. */
export interface Refusal {
  /** By which it can be told from others. */
  readonly id?: string;
  readonly status: Status;
  readonly streams?: StreamSort | undefined;
  /** Only the next so many. Default: all. */
  readonly count?: number | undefined;
}

interface Standing {
  readonly refusal: Refusal;
  left: number;
}

/** The refusals in force. */
export class Refusals {
  private standing: readonly Standing[] = [];

  /** One more, or this one in place of that with the same id. */
  put(refusal: Refusal): void {
    const fresh: Standing = { refusal, left: refusal.count ?? Infinity };
    const known = this.standingOf(refusal.id);
    this.standing = known ? this.standing.map((one) => (one === known ? fresh : one)) : [...this.standing, fresh];
  }

  /** Lifts all, or the one with this id. */
  lift(id?: string): void {
    this.standing = id === undefined ? [] : this.standing.filter(({ refusal }) => refusal.id !== id);
  }

  /** How many streams the one with this id still refuses (Infinity: all); undefined once it is used up or lifted. */
  left(id: string): number | undefined {
    return this.standingOf(id)?.left;
  }

  /**
   * How a stream is refused, if it is; that is counted. Asked twice: before its node is known, for those that mean every node, and when it
   * is, for the others.
   */
  statusFor(description: StreamDescription, node: Node | undefined): Status | undefined {
    const found = this.standing.find(
      ({ refusal: { streams } }) =>
        (streams?.node !== undefined) === (node !== undefined) && matchesStream(streams, { ...description, node }),
    );
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.standing = this.standing.filter((one) => one !== found);
    return found.refusal.status;
  }

  private standingOf(id: string | undefined): Standing | undefined {
    return id === undefined ? undefined : this.standing.find(({ refusal }) => refusal.id === id);
  }
}
