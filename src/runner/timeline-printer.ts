import type { TimelineEvent } from '../events.ts';

export interface TimelinePrinterOptions {
  /** Gets text with line ends. */
  readonly write: (text: string) => void;
  /** ANSI colour; the CLI decides (a TTY, and NO_COLOR not set). Default false. */
  readonly colour?: boolean;
  /** Columns; lines are cut to fit. Default: not cut. */
  readonly width?: number;
}

/** Prints a run's timeline live. */
export interface TimelinePrinter {
  /** Prints one event; `label` says of which run where several are under way. */
  event(event: TimelineEvent, label?: string): void;
}

export function timelinePrinter(options: TimelinePrinterOptions): TimelinePrinter {
  void options;
  return { event: () => undefined };
}
