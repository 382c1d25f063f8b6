import type { Readable } from 'node:stream';
import { LineRing } from '../envoy/envoy-log.ts';

const capacity = 5_000;

/** Keeps what a container says. */
export class ContainerLog {
  private readonly ring: LineRing;

  constructor(onLine: (line: string) => void) {
    this.ring = new LineRing(capacity, onLine);
  }

  /** The newest lines, oldest first. Grows. */
  get lines(): readonly string[] {
    return this.ring.lines;
  }

  /** Takes all that a stream brings. */
  follow(stream: Readable): void {
    stream.on('data', (piece: Buffer | string) => this.write(String(piece)));
    stream.on('end', () => this.ring.end());
    // The daemon cuts the stream when the container goes; what came until then is what there is.
    stream.on('error', () => undefined);
  }

  write(piece: string): void {
    this.ring.write(piece);
  }
}
