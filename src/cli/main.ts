import { runCommandLine } from './command-line.ts';
import { reportFailure } from './failure.ts';
import { systemTerminal } from './system-terminal.ts';

/** The program `fake-istiod`: bundled to `dist/bin/lib/program.js`, which `entry.ts` reads. */
const terminal = systemTerminal();
const argv = process.argv.slice(2);

function leaveAtOnce(error: unknown): void {
  process.exit(reportFailure(error, terminal, argv));
}
process.on('uncaughtException', leaveAtOnce);
process.on('unhandledRejection', leaveAtOnce);

// No `await` at the top: the bundle is a CommonJS module.
void runCommandLine(argv, terminal).then((exitCode) => terminal.end(exitCode));
