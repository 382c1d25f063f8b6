import type { Clock } from '../../src/clock.ts';
import type { AdminClient, ServerState } from '../../src/envoy/index.ts';
import { FakeIstiodError } from '../../src/errors.ts';
import type { Event } from '../../src/events.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { resourceTypeNamed } from '../../src/protocol/resource-type.ts';

/** A clock on which time passes as soon as somebody waits for it. */
export function hastyClock(): Clock {
  let nowMs = 0;
  return {
    now: () => nowMs,
    date: () => new Date(nowMs),
    after(delayMs, task) {
      let off = false;
      // A macrotask: whatever can go on without the clock goes on first.
      setImmediate(() => {
        if (off) return;
        nowMs += delayMs;
        task();
      });
      return () => {
        off = true;
      };
    },
  };
}

export type Short = 'CDS' | 'EDS' | 'LDS';

/** A fake istiod as matchers see it: a timeline, into which a test says what happened. */
export class Witness {
  readonly clock = hastyClock();
  readonly timeline = createTimeline(this.clock);

  record(event: Event): this {
    this.timeline.record(event);
    return this;
  }

  asked(type: Short, { node = 'a', stream = 1 } = {}): this {
    const told = { outcome: 'initial', names: [], unsubscribed: [], held: [], version: '', nonce: '' } as const;
    return this.record({ event: 'request.received', ...facts(type, node, stream), ...told });
  }

  sent(type: Short, nonce: string, { node = 'a', stream = 1 } = {}): this {
    const told = { version: nonce, nonce, names: [], removed: [], cause: 'reply' } as const;
    return this.record({ event: 'response.sent', ...facts(type, node, stream), ...told });
  }

  withheld(type: Short, { node = 'a', stream = 1 } = {}): this {
    return this.record({ event: 'response.withheld', ...facts(type, node, stream), names: [] });
  }

  dropped(type: Short, { node = 'a', stream = 1 } = {}): this {
    return this.record({ event: 'response.dropped', ...facts(type, node, stream), version: 'd', nonce: 'd' });
  }

  acked(type: Short, nonce: string, { node = 'a', stream = 1 } = {}): this {
    return this.record({ event: 'response.acked', ...facts(type, node, stream), version: nonce, nonce });
  }

  nacked(type: Short, nonce: string, text: string, { node = 'a', stream = 1 } = {}): this {
    return this.record({ event: 'response.nacked', ...facts(type, node, stream), version: nonce, nonce, code: 13, text });
  }

  closed(stream: number, node = 'a'): this {
    return this.record({ event: 'stream.closed', stream, variant: 'sotw', node, by: 'client', code: 1, text: '' });
  }
}

function facts(type: Short, node: string, stream: number) {
  const typeUrl = resourceTypeNamed(type)?.typeUrl ?? '';
  return { stream, variant: 'sotw', node, typeUrl, type } as const;
}

/** An Envoy that is in these states, one a look; the last one for ever. `gone` cannot be asked. */
export function envoyIn(...states: readonly (ServerState | 'gone')[]): { readonly admin: AdminClient; readonly nodeId: string } {
  let looks = 0;
  const look = (): ServerState => {
    const state = states[Math.min(looks++, states.length - 1)];
    if (state === undefined || state === 'gone') throw new FakeIstiodError('envoy.unreachable', 'nobody answers');
    return state;
  };
  const admin = {
    state: () => Promise.resolve().then(look),
    ready: () => Promise.resolve().then(() => ({ code: look() === 'LIVE' ? 200 : 503, body: look() })),
    initDump: () => Promise.resolve([]),
    awaitState(wanted: ServerState, { timeoutMs = 0 } = {}) {
      const found = states.find((state) => state === wanted || state === 'gone') ?? states.at(-1);
      if (found === wanted) return Promise.resolve();
      const cause = found === 'gone' ? { cause: new FakeIstiodError('envoy.unreachable', 'nobody answers') } : {};
      return Promise.reject(
        new FakeIstiodError('wait.timed-out', `Envoy was not ${wanted} within ${timeoutMs / 1000} s: it is ${found ?? ''}`, cause),
      );
    },
  } as unknown as AdminClient;
  return { admin, nodeId: 'a' };
}

/** The message with which an expectation fails; fails itself if that holds. */
export async function failureOf(expectation: Promise<unknown>): Promise<string> {
  const held = Symbol('held');
  const outcome = await expectation.then(
    () => held,
    (error: unknown) => error,
  );
  if (outcome === held) throw new Error('the expectation holds');
  return (outcome as Error).message;
}
