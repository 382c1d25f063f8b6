import { FakeIstiodError, type ExitCode } from '../errors.ts';
import { writeLine, type Terminal } from './terminal.ts';

/** Prints an error on stderr, for people, and gives the exit code that belongs to it. */
export function reportFailure(error: unknown, { stderr, env }: Terminal, argv: readonly string[]): ExitCode {
  const known = FakeIstiodError.from(error);
  const debug = argv.includes('--debug') || Boolean(env['FAKE_ISTIOD_DEBUG']);
  writeLine(stderr, known.code === 'internal' ? defectText(known, argv, debug) : failureText(known));
  if (debug && known.code !== 'usage.invalid') writeLine(stderr, stackOf(known));
  return known.exitCode;
}

/** One problem on the line itself; several a line each, in the form that editors jump to. */
export function failureText(error: FakeIstiodError): string {
  const { problems, message } = error;
  return problems.length > 1 ? `fake-istiod: ${problems.length} problems\n${message}` : `fake-istiod: ${message}`;
}

function defectText(error: FakeIstiodError, argv: readonly string[], debug: boolean): string {
  const lines = [
    `fake-istiod: ${error.message}`,
    'This is a defect of fake-istiod, not of your input.',
    `Please report it with the command line and its input: fake-istiod ${argv.join(' ')}`,
  ];
  return [...lines, ...(debug ? [] : ['`--debug` adds where it happened.'])].join('\n');
}

function stackOf(error: FakeIstiodError): string {
  const cause = error.cause instanceof Error ? error.cause.stack : undefined;
  return cause ?? error.stack ?? '';
}
