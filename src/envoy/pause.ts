import type { Clock } from '../clock.ts';

/** Waits on the given clock; ends early, without an error, when `ended` is aborted. */
export function pause(clock: Clock, delayMs: number, ended?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ended?.aborted) return resolve();
    const done = (): void => {
      cancel();
      ended?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    ended?.addEventListener('abort', done);
  });
}
