import { describe, expect, it } from 'vitest';
import { reportFailure } from '../../src/cli/failure.ts';
import { FakeIstiodError } from '../../src/errors.ts';
import { fakeTerminal } from './fake-terminal.ts';

function reported(error: unknown, argv: readonly string[] = ['serve'], env: NodeJS.ProcessEnv = {}): { code: number; text: string } {
  const terminal = fakeTerminal({ env });
  const code = reportFailure(error, terminal, argv);
  return { code, text: terminal.written.stderr };
}

describe('an error', () => {
  it('does not put a full stop after a question', () => {
    const error = new FakeIstiodError('port.in-use', 'is it running?', { remedy: 'Start it' });
    expect(error.message).toBe('is it running? Start it');
  });

  it('is one line with the remedy, and the exit code tells whose fault it is', () => {
    const error = new FakeIstiodError('port.in-use', 'port 15012 on 127.0.0.1 is taken', { remedy: 'Choose another with --port' });
    expect(reported(error)).toEqual({ code: 3, text: 'fake-istiod: port 15012 on 127.0.0.1 is taken. Choose another with --port\n' });
  });

  it('with several problems gives each a line that editors can jump to', () => {
    const problems = [
      { at: { file: 'a.yaml', line: 2, column: 3, path: 'steps' }, what: 'is empty' },
      { at: { file: 'a.yaml', line: 9, column: 1 }, what: 'unknown key "expct"', remedy: 'Did you mean "expect"?' },
    ];
    const { code, text } = reported(FakeIstiodError.of('scenario.invalid', problems));
    expect(code).toBe(2);
    expect(text).toBe('fake-istiod: 2 problems\na.yaml:2:3: steps: is empty\na.yaml:9:1: unknown key "expct". Did you mean "expect"?\n');
  });

  it('that is none of ours is called a defect, without a stack', () => {
    const { code, text } = reported(new TypeError('x is not a function'), ['run', 'ready']);
    expect(code).toBe(70);
    expect(text).toBe(
      'fake-istiod: x is not a function\nThis is a defect of fake-istiod, not of your input.\n' +
        'Please report it with the command line and its input: fake-istiod run ready\n`--debug` adds where it happened.\n',
    );
  });

  it.each([
    { argv: ['run', '--debug'], env: {} },
    { argv: ['run'], env: { FAKE_ISTIOD_DEBUG: '1' } },
  ])('shows its stack when asked to: $argv $env', ({ argv, env }) => {
    expect(reported(new TypeError('x'), argv, env).text).toContain('\n    at ');
  });
});
