import { describe, expect, it } from 'vitest';
import { cli } from './fake-terminal.ts';

/** Command lines that are wrong, and all that is said about them. */
const wrong: readonly (readonly [line: string, text: string])[] = [
  ['', 'which command? `fake-istiod --help` shows what there is'],
  ['rnu ready', "unknown command 'rnu'; did you mean run? `fake-istiod --help` shows what there is"],
  ['frobnicate', "unknown command 'frobnicate'. `fake-istiod --help` shows what there is"],
  ['run', "missing required argument 'scenario'. `fake-istiod run --help` shows what there is"],
  ['run ready --varient sotw', "unknown option '--varient'; did you mean --variant? `fake-istiod run --help` shows what there is"],
  ['run ready --variant up', '--variant: "up" is none of sotw, delta, both. `fake-istiod run --help` shows what there is'],
  ['run ready --jobs 0', '--jobs: "0" is not a whole number of at least 1'],
  ['run ready --timeout 10', '--timeout: "10" is not a duration with a unit, such as 500ms, 10s or 2m'],
  ['run ready --max-input huge', '--max-input: "huge" is not a size such as 1000000, 512k or 16MiB'],
  [
    'run ready --envoy-admin http://127.0.0.1:1 --envoy 1.40.0',
    "option '--envoy-admin <url>' cannot be used with option '--envoy <which>'. `fake-istiod run --help` shows what there is",
  ],
  ['serve --port 70000', '--port: "70000" is not a port between 0 and 65535 (0 takes a free one)'],
  ['serve --port http', '--port: "http" is not a port between 0 and 65535 (0 takes a free one)'],
  ['bootstrap --xds istiod', '--xds: "istiod" is not HOST:PORT, e.g. localhost:15012 or [::1]:15012'],
  ['bootstrap --xds ::1:15012', '--xds: "::1:15012" is not HOST:PORT, e.g. localhost:15012 or [::1]:15012'],
  ['completion tcsh', 'shell: "tcsh" is none of bash, zsh, fish. `fake-istiod completion --help` shows what there is'],
  ['envoy wich', "unknown command 'wich'; did you mean which? `fake-istiod envoy --help` shows what there is"],
  ['envoy install 1.40', '1.40 is not a whole Envoy version. Give three numbers, e.g. 1.40.0'],
];

describe('a wrong command line', () => {
  it.each(wrong)('`%s` ends with 2 and says what is wrong', async (line, text) => {
    const outcome = await cli(line.split(' ').filter(Boolean));
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: `fake-istiod: ${text}\n` });
  });
});

describe('help', () => {
  it.each(['run', 'serve', 'explain', 'scenarios', 'bootstrap', 'check', 'envoy', 'completion'])(
    'of `%s` has examples and fits into 80 columns',
    async (command) => {
      const { code, stdout, stderr } = await cli([command, '--help']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('Examples:\n  # ');
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it('of the program lists the commands and the exit codes', async () => {
    const { code, stdout } = await cli(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('run scenarios against a real Envoy');
    expect(stdout).toContain('  130  called off by Ctrl-C');
  });

  it('is no error when asked for by `help`', async () => {
    expect((await cli(['help', 'serve'])).stdout).toBe((await cli(['serve', '--help'])).stdout);
  });

  it('goes without the version, which `--version` tells', async () => {
    const { code, stdout } = await cli(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
