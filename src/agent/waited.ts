import type { Clock } from '../clock.ts';

/** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
export function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
