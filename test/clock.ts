import type { Clock } from '../src/clock.ts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on by `ms`; tasks that fall due run in their order, each at its own instant. */
  advance(ms: number): void;
  /** How many tasks wait. */
  readonly pending: number;
}

interface Task {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Starts at 0 ms and at the epoch (or at `startDate`). */
export function manualClock(startDate = new Date(0)): ManualClock {
  let nowMs = 0;
  const tasks = new Set<Task>();
  const nextDue = (untilMs: number): Task | undefined => {
    const due = [...tasks].filter((task) => task.dueMs <= untilMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0];
  };
  return {
    now: () => nowMs,
    date: () => new Date(startDate.getTime() + nowMs),
    after(delayMs, run) {
      const task: Task = { dueMs: nowMs + Math.max(0, delayMs), run };
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let task = nextDue(untilMs); task; task = nextDue(untilMs)) {
        tasks.delete(task);
        nowMs = Math.max(nowMs, task.dueMs);
        task.run();
      }
      nowMs = untilMs;
    },
    get pending() {
      return tasks.size;
    },
  };
}
