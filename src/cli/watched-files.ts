import { statSync } from 'node:fs';
import type { Clock } from '../clock.ts';

/** How often files are looked at. */
const intervalMs = 250;

/**
 * What is another once a file was written, replaced by an editor, linked elsewhere as in a mounted ConfigMap, or is gone. Why one cannot be
 * looked at (the folder may not be read, the name is too long) is for those to tell who read it.
 */
function markOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'not there';
  }
}

/** Files as they were when they were read. */
export class WatchedFiles {
  private readonly clock: Clock;
  private readonly marks = new Map<string, string>();
  private callOff: () => void = () => undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Takes note of files that are about to be read, or were read just now. */
  note(files: readonly string[]): void {
    for (const file of files) if (!this.marks.has(file)) this.marks.set(file, markOf(file));
  }

  /**
   * Calls `onChange` whenever one of them has become another one, until `stop`.
   *
   * @note By looking at them: notifications of the kernel do not come through the mounts of virtual machines, and end with a replaced file.
   */
  watch(onChange: () => void): void {
    const look = (): void => {
      const changed = [...this.marks].filter(([file, mark]) => mark !== markOf(file));
      for (const [file] of changed) this.marks.set(file, markOf(file));
      if (changed.length > 0) onChange();
      this.callOff = this.clock.after(intervalMs, look);
    };
    look();
  }

  stop(): void {
    this.callOff();
  }
}
