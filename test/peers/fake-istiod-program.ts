import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command that ends by itself, and gives its stdout. */
export async function runProgram(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [program, ...args])).stdout;
}
