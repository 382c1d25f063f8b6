import type { WaitStrategy } from 'testcontainers';
import type { ContainerLog } from './container-log.ts';
import { endOf, type ContainerEnd } from './ended-container.ts';

/** What was known of a container the moment that a wait for it failed. */
export interface FailureNote {
  /** The lines of its log. */
  readonly lines: readonly string[];
  /** The last events of its istiod, as a text. */
  readonly events: string | undefined;
  /** Undefined if it ran. */
  readonly end: ContainerEnd | undefined;
}

/** A wait strategy that notes what is known when it fails: what comes after that is only the end of the container. */
export class NotedWait implements WaitStrategy {
  /** Undefined until the wait has failed. */
  noted: FailureNote | undefined;
  private readonly wait: WaitStrategy;
  private readonly log: ContainerLog;
  private readonly events: () => string | undefined;

  constructor(wait: WaitStrategy, log: ContainerLog, events: () => string | undefined = () => undefined) {
    this.wait = wait;
    this.log = log;
    this.events = events;
  }

  async waitUntilReady(...args: Parameters<WaitStrategy['waitUntilReady']>): Promise<void> {
    try {
      await this.wait.waitUntilReady(...args);
    } catch (error) {
      const now = { lines: [...this.log.lines], events: this.events() };
      this.noted = { ...now, end: await endOf(args[0]) };
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
