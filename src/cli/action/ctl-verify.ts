import { writeFileSync } from 'node:fs';
import { ControlClient } from '../../control/control-client.ts';
import { pause } from '../../envoy/pause.ts';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { summaryTable } from '../../runner/summary-table.ts';
import { timelinePrinter } from '../../runner/timeline-printer.ts';
import { verifyScenario, type VerifyOptions, type VerifyResult } from '../../runner/verify.ts';
import type { Scenario } from '../../script/scenario.ts';
import { attachedEnvoy } from '../attached-envoy.ts';
import { playedScenario, remoteIstiod } from '../remote-istiod.ts';
import { runJson } from '../run-json.ts';
import { scenarioNamed } from '../scenario-source.ts';
import { mayColour, writeLine, type Terminal } from '../terminal.ts';

export interface VerifyCommandOptions {
  readonly istiod?: string;
  readonly token?: string;
  readonly envoyAdmin: string;
  readonly envoyLog?: string;
  /** Milliseconds. */
  readonly wait: number;
  readonly readyFile?: string;
  readonly report?: string;
  readonly timeout?: number;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `ctl verify`. Exits 0 if all came as expected, 1 if not, 130 if it was called off. */
export async function ctlVerify(terminal: Terminal, name: string | undefined, options: VerifyCommandOptions): Promise<ExitCode> {
  const given = name === undefined ? undefined : await scenarioNamed(name, options);
  const calledOff = new AbortController();
  const stopListening = terminal.onInterrupt(() => calledOff.abort());
  try {
    const client = new ControlClient(addressOf(terminal, options));
    const played = await awaitIstiod(client, terminal, options, calledOff.signal);
    if (calledOff.signal.aborted) return ExitCode.interrupted;
    const scenario = given ?? (await scenarioNamed(played ?? noScenario(client), options));
    if (played !== scenario.name) writeLine(terminal.stderr, `istiod plays ${played ?? 'no scenario'}, not ${scenario.name}.`);
    const result = await verifyScenario(scenario, {
      istiod: await remoteIstiod(client),
      adminUrl: options.envoyAdmin,
      waitMs: options.wait,
      variant: async () => (await attachedEnvoy(options.envoyAdmin)).variant ?? 'delta',
      clock: terminal.clock,
      signal: calledOff.signal,
      onFollowing: () => following(terminal, scenario, options),
      ...said(options),
      ...shown(terminal, options),
    });
    if (!result) return ExitCode.interrupted;
    report(terminal, result, options);
    return result.interrupted ? ExitCode.interrupted : result.ok ? ExitCode.ok : ExitCode.unexpected;
  } finally {
    stopListening();
  }
}

function addressOf({ env }: Terminal, { istiod, token = env['FAKE_ISTIOD_CONTROL_TOKEN'] }: VerifyCommandOptions) {
  const url = istiod ?? (env['FAKE_ISTIOD_CONTROL'] || 'http://127.0.0.1:15080');
  return { url, ...(token ? { token } : {}) };
}

const pauseMs = 100;

/** The name of what it plays, once it answers: both may be started at the same time. */
async function awaitIstiod(
  client: ControlClient,
  { clock }: Terminal,
  { wait }: VerifyCommandOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const begunMs = clock.now();
  for (;;) {
    try {
      return await playedScenario(client);
    } catch (error) {
      const { code } = FakeIstiodError.from(error);
      if (code !== 'control.unreachable' || clock.now() - begunMs >= wait) throw error;
    }
    await pause(clock, pauseMs, signal);
    if (signal.aborted) return undefined;
  }
}

function noScenario({ url }: ControlClient): never {
  throw new FakeIstiodError('usage.invalid', `the fake istiod at ${url} plays no scenario, so none says what is expected`, {
    remedy: 'Name a scenario',
  });
}

/** What is there to be waited for may begin now. */
function following({ stdout }: Terminal, { name, title }: Scenario, { readyFile, envoyAdmin, json }: VerifyCommandOptions): void {
  if (!json) writeLine(stdout, `${name}: ${title}\nistiod is followed; the Envoy at ${envoyAdmin} is waited for.`);
  if (readyFile === undefined) return;
  try {
    writeFileSync(readyFile, 'istiod is followed\n');
  } catch (cause) {
    throw new FakeIstiodError(
      'output.unwritable',
      `${readyFile} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        remedy: 'Name a file in a folder that you may write to',
        cause,
      },
    );
  }
}

function said({ timeout, report, envoyLog }: VerifyCommandOptions): Pick<VerifyOptions, 'timeoutMs' | 'reportDir' | 'envoyLog'> {
  return {
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(report === undefined ? {} : { reportDir: report }),
    ...(envoyLog === undefined ? {} : { envoyLog }),
  };
}

function shown({ stdout, env }: Terminal, { json }: VerifyCommandOptions): Pick<VerifyOptions, 'onEvent'> {
  if (json) return {};
  const printer = timelinePrinter({
    write: (text) => stdout.write(text),
    colour: mayColour(stdout, env),
    ...(stdout.isTty ? { width: stdout.columns } : {}),
  });
  return { onEvent: (event) => printer.event(event) };
}

function report({ stdout, stderr, env }: Terminal, result: VerifyResult, { json }: VerifyCommandOptions): void {
  if (json) writeLine(stdout, JSON.stringify(runJson([result]), undefined, 2));
  else {
    writeLine(stdout);
    for (const { sentence, reason } of result.unseen) writeLine(stdout, `not looked at: ${sentence} (${reason})`);
    writeLine(stdout, summaryTable([result], { colour: mayColour(stdout, env) }));
  }
  if (result.reportDir !== undefined) writeLine(stderr, `Report: ${result.reportDir}`);
}
