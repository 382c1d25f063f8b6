import type { Clock } from '../clock.ts';
import { shortestTtlMs } from '../protocol/resource.ts';
import type { Response } from '../protocol/response.ts';

/** Knows when the client of one stream has to hear again of resources that it may keep for a time only. */
export class Heartbeats {
  private readonly callOffs = new Map<string, () => void>();
  private readonly clock: Clock;
  private readonly beat: (typeUrl: string) => void;

  /** `beat` sends a heartbeat for a type. */
  constructor(clock: Clock, beat: (typeUrl: string) => void) {
    this.clock = clock;
    this.beat = beat;
  }

  /** Takes note of a response: half of the shortest lifetime in it later a heartbeat is due. */
  sent({ typeUrl, resources }: Response): void {
    const ttlMs = shortestTtlMs(resources);
    if (ttlMs === Infinity || this.callOffs.has(typeUrl)) return;
    const due = (): void => {
      this.callOffs.delete(typeUrl);
      this.beat(typeUrl);
    };
    this.callOffs.set(typeUrl, this.clock.after(ttlMs / 2, due));
  }

  /** No heartbeat is due any more. */
  clear(): void {
    for (const callOff of this.callOffs.values()) callOff();
    this.callOffs.clear();
  }
}
