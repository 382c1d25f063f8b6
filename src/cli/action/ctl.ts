import { ControlClient } from '../../control/control-client.ts';
import { ExitCode, FakeIstiodError, type Problem } from '../../errors.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/** What every `ctl` command can be told. */
export interface CtlOptions {
  readonly istiod?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** What a `ctl` command has to say: as it came from the server, and for people. */
export interface Answer {
  readonly json: unknown;
  /** May have several lines; empty says nothing. */
  readonly text: string;
}

/** What a `ctl` command does, once it is known whom it talks to. */
export type Ask = (client: ControlClient, terminal: Terminal) => Promise<Answer>;

/** The URL of the control API where nothing else is said: `--istiod`, then `FAKE_ISTIOD_CONTROL`, then this. */
const defaultControlUrl = 'http://127.0.0.1:15080';

/** Talks to the control API and prints what it answers. What a server refuses is thrown as the error that it was there. */
export async function ctl(terminal: Terminal, options: CtlOptions, ask: Ask): Promise<ExitCode> {
  const { json, text } = await ask(clientFor(terminal, options), terminal).catch((error: unknown) => {
    throw withoutBody(error);
  });
  if (options.json) writeLine(terminal.stdout, JSON.stringify(json, undefined, 2));
  else if (text) writeLine(terminal.stdout, text);
  return ExitCode.ok;
}

/** A client for the server that is meant. Error `usage.invalid` for what is no URL. */
export function clientFor({ env }: Terminal, { istiod, token }: CtlOptions): ControlClient {
  const url = istiod ?? (env['FAKE_ISTIOD_CONTROL'] || defaultControlUrl);
  const secret = token ?? env['FAKE_ISTIOD_CONTROL_TOKEN'];
  return new ControlClient({ url, ...(secret ? { token: secret } : {}) });
}

/** What a body is to the server, is the command line to a person: the path says enough. */
function withoutBody(error: unknown): unknown {
  if (!(error instanceof FakeIstiodError) || error.problems.every(({ at }) => at?.file !== 'body')) return error;
  const problems = error.problems.map(({ at, ...problem }): Problem => {
    if (at?.file !== 'body') return { ...problem, ...(at ? { at } : {}) };
    return { ...problem, ...(at.path === undefined ? {} : { at: { file: '', path: at.path } }) };
  });
  return FakeIstiodError.of(error.code, problems, error);
}
