import { writeLine, type TextSink } from './terminal.ts';

/** What is odd and yet works, a line each. */
export function writeWarnings(sink: TextSink, warnings: readonly string[]): void {
  for (const warning of warnings) writeLine(sink, `warning: ${warning}`);
}
