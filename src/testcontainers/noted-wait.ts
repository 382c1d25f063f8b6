import type { WaitStrategy } from 'testcontainers';

/** A wait strategy, and what is to be noted the moment it fails: what comes after that is only the end of the container. */
export class NotedWait implements WaitStrategy {
  private readonly wait: WaitStrategy;
  private readonly note: () => void;

  constructor(wait: WaitStrategy, note: () => void) {
    this.wait = wait;
    this.note = note;
  }

  async waitUntilReady(...args: Parameters<WaitStrategy['waitUntilReady']>): Promise<void> {
    try {
      await this.wait.waitUntilReady(...args);
    } catch (error) {
      this.note();
      throw error;
    }
  }

  withStartupTimeout(startupTimeoutMs: number): this {
    this.wait.withStartupTimeout(startupTimeoutMs);
    return this;
  }

  isStartupTimeoutSet(): boolean {
    return this.wait.isStartupTimeoutSet();
  }

  getStartupTimeout(): number {
    return this.wait.getStartupTimeout();
  }
}
