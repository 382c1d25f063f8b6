import type { ClientRequest } from '../protocol/request.ts';
import type { Status } from '../protocol/response.ts';
import type { Guest } from './doorman.ts';
import type { StreamHandler } from './stream-port.ts';

/** How the doorman's own failure ends a stream (gRPC INTERNAL). */
const failed: Status = { code: 13, message: 'the caller could not be authenticated' };

/** Where a stream waits while the doorman asks who it is. What the client says meanwhile is heard once it is let in. */
export class WaitingRoom implements StreamHandler {
  readonly admitted: Promise<void>;
  private inside: StreamHandler | undefined;
  private over = false;
  private readonly said: ClientRequest[] = [];

  /** @param enter opens the stream, or refuses it, once it is decided */
  constructor(decision: Promise<Guest | Status>, enter: (decision: Guest | Status) => StreamHandler | undefined) {
    this.admitted = decision.catch(() => failed).then((made) => this.decided(() => enter(made)));
  }

  get settled(): Promise<void> {
    return this.inside?.settled ?? Promise.resolve();
  }

  receive(request: ClientRequest): void {
    if (this.inside) this.inside.receive(request);
    else if (!this.over) this.said.push(request);
  }

  drained(): void {
    this.inside?.drained?.();
  }

  closed(by: 'client' | 'server', status: Status): void {
    this.over = true;
    this.inside?.closed(by, status);
  }

  private decided(enter: () => StreamHandler | undefined): void {
    if (this.over) return;
    this.inside = enter();
    this.over = this.inside === undefined;
    for (const request of this.said.splice(0)) this.inside?.receive(request);
  }
}
