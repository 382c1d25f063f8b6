import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
// Commands load what they do when they are given; here before a test's time begins.
import '../../src/cli/action/serve.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { cli, fakeTerminal } from './fake-terminal.ts';

const alone = ['serve', 'ready', '--port', '0', '--no-plaintext-port', '--log-level', 'silent'];

/** `serve` with these options; what it says, and where its control API is. Ended with the test. */
async function controlled(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const terminal = fakeTerminal({ env });
  const ended = runCommandLine([...alone, ...args], terminal);
  onTestFinished(async () => {
    terminal.interrupt();
    await ended;
  });
  await Promise.race([terminal.until('Ctrl-C ends it'), ended]);
  const said = terminal.written.stderr;
  return { said, url: /The control API is at (\S+) /.exec(said)?.[1] ?? '' };
}

async function statusOf(url: string, token?: string): Promise<number> {
  const response = await fetch(`${url}/state`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  return response.status;
}

describe('serve and its control API', () => {
  it('has none unless it is asked for', async () => {
    expect((await controlled([])).said).not.toContain('control');
  });

  it('tells where it is before it tells how to end it, and asks nothing of this machine', async () => {
    const { said, url } = await controlled(['--control-port', '0']);
    expect(said).toMatch(/^fake-istiod serves [^\n]*\nThe control API is at http:\/\/127\.0\.0\.1:\d+ [^]*\nCtrl-C ends it\.\n$/);
    expect(said).not.toContain('token');
    expect(await statusOf(url)).toBe(200);
  });

  it.each<[string, readonly string[], NodeJS.ProcessEnv]>([
    ['--control-token', ['--control-token', 'secret'], {}],
    ['the environment', [], { FAKE_ISTIOD_CONTROL_TOKEN: 'secret' }],
    ['--control-token before the environment', ['--control-token', 'secret'], { FAKE_ISTIOD_CONTROL_TOKEN: 'another' }],
  ])('asks for the token of %s, which it does not repeat', async (_, args, env) => {
    const { said, url } = await controlled(['--control-port', '0', ...args], env);
    expect(said).toContain('It asks for the token given.');
    expect(said).not.toContain('secret');
    expect([await statusOf(url), await statusOf(url, 'another'), await statusOf(url, 'secret')]).toEqual([401, 401, 200]);
  });

  it('makes a token up where others than this machine might ask, and says it', async () => {
    // Every address of the machine: the only one beside loopback that is everywhere.
    const { said, url } = await controlled(['--control-port', '0', '--control-bind', '0.0.0.0']);
    const [, token = ''] = /export FAKE_ISTIOD_CONTROL_TOKEN=(\S+)/.exec(said) ?? [];
    expect(token).toMatch(/^[\w-]{32}$/);
    expect([await statusOf(url), await statusOf(url, token)]).toEqual([401, 200]);
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['an address without a port', ['--control-bind', '127.0.0.1'], 2, /--control-bind says nothing without --control-port/],
    ['a token without a port', ['--control-token', 'x'], 2, /--control-token says nothing without --control-port/],
    ['no port', ['--control-port', 'x'], 2, /"x" is not a port/],
    ['an empty token', ['--control-port', '0', '--control-token', ''], 2, /the token of the control API is empty/],
    ['a token that no header holds', ['--control-port', '0', '--control-token', 'a b'], 2, /blanks/],
    ['an address that is none of this machine', ['--control-port', '0', '--control-bind', '192.0.2.1'], 2, /--control-bind/],
  ])('says what is wrong with %s', async (_, args, code, says) => {
    const outcome = await cli([...alone, ...args]);
    expect(outcome.stderr).toMatch(says);
    expect(outcome.stderr).not.toMatch(/\bat .*\.(ts|js):\d+/);
    expect(outcome.code).toBe(code);
  });

  it('says that its port is taken, and leaves nothing running', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const outcome = await cli([...alone, '--control-port', String(port)]);
    expect(outcome.stderr).toMatch(new RegExp(`127\\.0\\.0\\.1:${port} is in use already\\. .*--control-port`));
    expect(outcome.code).toBe(3);
  });
});
