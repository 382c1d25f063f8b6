import { writeFileSync } from 'node:fs';
import type { ControlClient } from '../../control/control-client.ts';
import { pause } from '../../envoy/pause.ts';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { summaryTable } from '../../runner/summary-table.ts';
import { timelinePrinter } from '../../runner/timeline-printer.ts';
import { refuseUnseen, verifyScenario, type VerifyOptions, type VerifyResult } from '../../runner/verify.ts';
import type { Scenario } from '../../script/scenario.ts';
import { attachedEnvoy } from '../attached-envoy.ts';
import { envoyColumn } from '../envoy-column.ts';
import { playedScenario, remoteIstiod } from '../remote-istiod.ts';
import { runJson } from '../run-json.ts';
import { scenarioNamed } from '../scenario-source.ts';
import { mayColour, writeLine, type Terminal } from '../terminal.ts';
import { clientFor } from './ctl.ts';

export interface VerifyCommandOptions {
  readonly istiod?: string;
  readonly token?: string;
  /** A URL, or `NAME=URL` each. */
  readonly envoyAdmin?: readonly string[];
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
  const adminUrl = adminUrlsOf(options.envoyAdmin);
  const given = name === undefined ? undefined : await scenarioNamed(name, options);
  const calledOff = new AbortController();
  const stopListening = terminal.onInterrupt(() => calledOff.abort());
  try {
    const client = clientFor(terminal, options);
    const played = await awaitIstiod(client, terminal, options, calledOff.signal);
    if (calledOff.signal.aborted) return ExitCode.interrupted;
    // Told before an Envoy is waited for that is not to stay.
    refuseUnseen(given ?? (played === undefined ? undefined : await scenarioNamed(played, options).catch(() => undefined)), {
      ...options,
      adminUrl,
    });
    // Asked once Envoy runs: until then another one may be put in its place.
    const verified: Verified = given ? { scenario: given } : {};
    const wanted = async () => (verified.scenario = await wantedScenario(terminal, client, given, options, calledOff.signal));
    const result = await verifyScenario(wanted, {
      istiod: await remoteIstiod(client, calledOff.signal),
      adminUrl,
      waitMs: options.wait,
      variant: async () => (await attachedEnvoy(firstOf(adminUrl))).variant ?? 'delta',
      clock: terminal.clock,
      signal: calledOff.signal,
      onFollowing: () => following(terminal, adminUrl, options),
      ...said(options),
      ...shown(terminal, options, verified),
    });
    if (!result) return ExitCode.interrupted;
    report(terminal, result, options);
    return result.interrupted ? ExitCode.interrupted : result.ok ? ExitCode.ok : ExitCode.unexpected;
  } catch (error) {
    // What is under way when it is called off fails for that reason alone.
    if (calledOff.signal.aborted) return ExitCode.interrupted;
    throw error;
  } finally {
    stopListening();
  }
}

const defaultAdmin = 'http://127.0.0.1:15000';

/** One URL, or several by the names of their Envoys. Error `usage.invalid`. */
function adminUrlsOf(written: readonly string[] = [defaultAdmin]): VerifyOptions['adminUrl'] {
  const [only, ...more] = written;
  const named = written.map((text) => /^([A-Za-z][A-Za-z0-9-]*)=(.+)$/.exec(text));
  if (only !== undefined && more.length === 0 && !named[0]) return only;
  const urls: Record<string, string> = {};
  for (const [i, match] of named.entries()) {
    const [, name = '', url = ''] = match ?? [];
    if (name === '' || name in urls) {
      const what = name === '' ? `${JSON.stringify(written[i])} says not which Envoy it is` : `the Envoy ${name} is there twice`;
      throw new FakeIstiodError('usage.invalid', `--envoy-admin: ${what}`, { remedy: 'With several write each as NAME=URL' });
    }
    urls[name] = url;
  }
  return urls;
}

function firstOf(adminUrl: VerifyOptions['adminUrl']): string {
  return typeof adminUrl === 'string' ? adminUrl : (Object.values(adminUrl)[0] ?? defaultAdmin);
}

const pauseMs = 100;

/** What it plays, once it answers: both may be started at the same time. */
async function awaitIstiod(
  client: ControlClient,
  { clock }: Terminal,
  { wait }: VerifyCommandOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  const begunMs = clock.now();
  for (;;) {
    try {
      return await playedScenario(client, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      const { code } = FakeIstiodError.from(error);
      if (code !== 'control.unreachable' || clock.now() - begunMs >= wait) throw error;
    }
    await pause(clock, pauseMs, signal);
    if (signal.aborted) return undefined;
  }
}

/** The one given, else the one that istiod plays. */
async function wantedScenario(
  { stdout, stderr }: Terminal,
  client: ControlClient,
  given: Scenario | undefined,
  options: VerifyCommandOptions,
  signal: AbortSignal,
): Promise<Scenario> {
  const played = await playedScenario(client, signal);
  const scenario = given ?? (await scenarioNamed(played ?? noScenario(client), options));
  if (!options.json) writeLine(stdout, `${scenario.name}: ${scenario.title}`);
  if (played !== scenario.name) writeLine(stderr, `istiod plays ${played ?? 'no scenario'}, not ${scenario.name}.`);
  return scenario;
}

function noScenario({ url }: ControlClient): never {
  throw new FakeIstiodError('usage.invalid', `the fake istiod at ${url} plays no scenario, so none says what is expected`, {
    remedy: 'Name a scenario',
  });
}

/** What is there to be waited for may begin now. */
function following({ stdout }: Terminal, adminUrl: VerifyOptions['adminUrl'], { readyFile, json }: VerifyCommandOptions): void {
  const whom =
    typeof adminUrl === 'string'
      ? `the Envoy at ${adminUrl} is`
      : `the Envoys ${Object.entries(adminUrl)
          .map(([name, url]) => `${name} at ${url}`)
          .join(' and ')} are`;
  if (!json) writeLine(stdout, `istiod is followed; ${whom} waited for.`);
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

/** The scenario, once it is known. */
interface Verified {
  scenario?: Scenario;
}

function shown({ stdout, env }: Terminal, { json }: VerifyCommandOptions, verified: Verified): Pick<VerifyOptions, 'onEvent'> {
  if (json) return {};
  const printer = timelinePrinter({
    write: (text) => stdout.write(text),
    colour: mayColour(stdout, env),
    ...(stdout.isTty ? { width: stdout.columns } : {}),
  });
  let column: ReturnType<typeof envoyColumn> | undefined;
  return {
    onEvent: (event) => {
      if (verified.scenario) column ??= envoyColumn(verified.scenario);
      printer.event(event, undefined, column?.(event));
    },
  };
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
