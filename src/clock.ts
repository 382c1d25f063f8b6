/**
 * Time, handed in by argument so that a whole scenario can run on a clock that a test moves by hand.
 * All instants are milliseconds of a monotonic clock: only their differences mean anything.
 */
export interface Clock {
  /** Milliseconds since an arbitrary instant; never goes back. */
  now(): number;
  /** The wall-clock time, for versions and log lines. */
  date(): Date;
  /** Calls `task` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, task: () => void): () => void;
}

/** The longest that a timer of Node can wait (2^31 - 1 ms, 24.8 days); one that is longer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the machine. Pending tasks keep the process alive only while `ref` is true. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(delayMs, longestTimerMs));
    return () => clearTimeout(timer);
  },
};
