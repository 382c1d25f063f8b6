import type { ServerPort } from './control-plane.ts';

/** What commands make the server do. */
export type ServerMove = 'start-server' | 'stop-server' | 'silence-server';

/** Starts and stops of a server, which happen one after the other. */
export class ServerWork {
  private readonly onFailure: (kind: ServerMove, error: unknown) => void;
  private last: Promise<void> = Promise.resolve();
  private pending = 0;

  constructor(onFailure: (kind: ServerMove, error: unknown) => void) {
    this.onFailure = onFailure;
  }

  /** Settles when nothing is under way any more. */
  get done(): Promise<void> {
    return this.last;
  }

  move(server: ServerPort, kind: ServerMove): void {
    if (kind === 'silence-server' && this.pending === 0) return server.silence();
    const work = async (): Promise<void> => {
      if (kind === 'silence-server') return server.silence();
      if (kind === 'stop-server') return server.stop();
      server.unsilence();
      await server.start();
    };
    this.pending += 1;
    this.last = this.last
      .then(work)
      .catch((error: unknown) => this.onFailure(kind, error))
      .finally(() => (this.pending -= 1));
  }
}
