import { mayColour, writeLine, type Terminal } from './terminal.ts';

/** Tells what is being waited for: on a terminal in one line that goes away again, elsewhere a line each. */
export interface Progress {
  readonly say: (text: string) => void;
  /** Takes the line away; what comes next starts on a clean one. */
  readonly clear: () => void;
}

/** Progress on stderr. */
export function progressOn({ stderr, env }: Terminal): Progress {
  const overwrite = stderr.isTty && env['TERM'] !== 'dumb';
  let shown = '';
  let last = '';
  return {
    say(text) {
      if (text === last) return;
      last = text;
      if (!overwrite) return writeLine(stderr, text);
      shown = text.slice(0, stderr.columns - 1);
      stderr.write(`\r\x1b[K${mayColour(stderr, env) ? `\x1b[2m${shown}\x1b[0m` : shown}`);
    },
    clear() {
      if (shown !== '') stderr.write('\r\x1b[K');
      shown = '';
    },
  };
}
