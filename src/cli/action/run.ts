import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { envoyText, findEnvoy } from '../../envoy/index.ts';
import type { RunEnvoy, RunningSides, RunOptions as OneRunOptions } from '../../runner/run-options.ts';
import type { RunResult } from '../../runner/run-result.ts';
import { runMatrix } from '../../runner/matrix.ts';
import { runScenario } from '../../runner/run.ts';
import { summaryTable } from '../../runner/summary-table.ts';
import { timelinePrinter } from '../../runner/timeline-printer.ts';
import { attachedEnvoy } from '../attached-envoy.ts';
import { readBootstrap } from '../bootstrap-input.ts';
import { envoyColumn } from '../envoy-column.ts';
import { openedPki } from '../opened-pki.ts';
import { progressOn } from '../progress.ts';
import { runJson } from '../run-json.ts';
import { planRuns, type PlannedRun } from '../run-plan.ts';
import { mutatedScenarioNamed, scenarioNamed, scenariosNamed } from '../scenario-source.ts';
import { mayColour, writeLine, type Terminal, type TextSink } from '../terminal.ts';

export interface RunOptions {
  readonly variant?: 'sotw' | 'delta' | 'both';
  readonly envoy?: string;
  readonly envoyArg?: readonly string[];
  readonly bootstrap?: string;
  readonly envoyAdmin?: string;
  readonly port?: number;
  readonly hold?: boolean;
  readonly pki?: string;
  readonly report?: string;
  readonly jobs: number;
  readonly mutate?: boolean;
  readonly shape: 'lab' | 'lesson';
  readonly timeout?: number;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `run`. Exits 0 if all came as expected, 1 if not, 130 if it was called off. */
export async function run(terminal: Terminal, names: readonly string[], options: RunOptions): Promise<ExitCode> {
  const load = options.mutate ? mutatedScenarioNamed : scenarioNamed;
  const scenarios = await scenariosNamed(names, (name) => load(name, options));
  const bootstrap = options.bootstrap === undefined ? undefined : readBootstrap(options.bootstrap, options.maxInput);
  const variant = await variantFor(terminal, options);
  const plan = planRuns(scenarios, {
    ...(variant ? { variant } : {}),
    ...(options.report === undefined ? {} : { report: options.report }),
  });
  refuseCrowd(plan, options);
  const pki = options.pki === undefined ? undefined : await openedPki(options.pki, terminal);
  const envoy = await envoyFor(terminal, options);

  const calledOff = new AbortController();
  const hold = holdOn(terminal);
  const stopListening = terminal.onInterrupt(() => (hold.isHeld() ? hold.end() : calledOff.abort()));
  const shared: Omit<OneRunOptions, 'variant'> = {
    envoy,
    shape: options.shape,
    signal: calledOff.signal,
    clock: terminal.clock,
    env: terminal.env,
    ...(options.envoyArg ? { envoyArgs: options.envoyArg } : {}),
    ...(bootstrap ? { bootstrap } : {}),
    ...(pki ? { pki } : {}),
    ...(portFor(options) === undefined ? {} : { port: portFor(options) as number }),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout }),
    ...(options.hold ? { hold: hold.begin } : {}),
  };
  try {
    const results = await runAll(terminal, plan, shared, options);
    report(terminal, results, options);
    if (calledOff.signal.aborted || results.some(({ interrupted }) => interrupted)) return ExitCode.interrupted;
    return results.every(({ ok }) => ok) ? ExitCode.ok : ExitCode.unexpected;
  } finally {
    stopListening();
  }
}

const defaultAttachedPort = 15_012;

function portFor({ port, envoyAdmin }: RunOptions): number | undefined {
  return port ?? (envoyAdmin === undefined ? undefined : defaultAttachedPort);
}

/** The variant asked for; else the one that a single Envoy speaks, or all that a scenario is for. */
async function variantFor({ stderr }: Terminal, options: RunOptions): Promise<RunOptions['variant']> {
  const { envoyAdmin, variant: wanted, hold } = options;
  if (envoyAdmin === undefined) return wanted ?? (hold ? 'delta' : undefined);
  const { variant, xds } = await attachedEnvoy(envoyAdmin);
  const port = portFor(options);
  if (xds && xds.port !== port)
    writeLine(stderr, `That Envoy looks for its istiod at ${xds.host}:${xds.port}, not on port ${port}; see --port.`);
  return wanted ?? variant ?? 'delta';
}

async function envoyFor(terminal: Terminal, { envoyAdmin, envoy: wanted }: RunOptions): Promise<RunEnvoy> {
  if (envoyAdmin !== undefined) return { attach: envoyAdmin };
  const progress = progressOn(terminal);
  const { env } = terminal;
  const envoy = await findEnvoy({ env, onProgress: progress.say, ...(wanted === undefined ? {} : { wanted }) }).finally(progress.clear);
  writeLine(terminal.stderr, envoyText(envoy));
  return envoy;
}

/** One Envoy, one port, one pair of eyes: some things go with a single run only. */
function refuseCrowd(plan: readonly PlannedRun[], { hold, envoyAdmin, port }: RunOptions): void {
  if (plan.length === 1) return;
  const option = hold ? '--hold' : envoyAdmin === undefined ? (port ? '--port' : undefined) : '--envoy-admin';
  if (option === undefined) return;
  throw new FakeIstiodError('usage.invalid', `${option} goes with one run, and these are ${plan.length}`, {
    remedy: 'Name one scenario, and --variant sotw or delta',
  });
}

async function runAll(
  terminal: Terminal,
  plan: readonly PlannedRun[],
  shared: Omit<OneRunOptions, 'variant'>,
  { jobs, json }: RunOptions,
): Promise<readonly RunResult[]> {
  const { stdout, env } = terminal;
  const printer = timelinePrinter({
    write: (text) => stdout.write(text),
    colour: mayColour(stdout, env),
    ...(stdout.isTty ? { width: stdout.columns } : {}),
  });
  const width = Math.max(...plan.map(({ label }) => label.length));
  const one = async ({ scenario, variant, label, reportDir }: PlannedRun): Promise<RunResult> => {
    if (!json && jobs === 1) writeLine(stdout, heading(scenario.title, label, stdout));
    const column = envoyColumn(scenario);
    const onEvent: OneRunOptions['onEvent'] = (event) => printer.event(event, jobs === 1 ? undefined : label.padEnd(width), column(event));
    const result = await runScenario(scenario, {
      ...shared,
      variant,
      ...(json ? {} : { onEvent }),
      ...(reportDir === undefined ? {} : { reportDir }),
    });
    if (!json && jobs === 1) writeLine(stdout);
    return result;
  };
  const results = await runMatrix(
    plan.map((planned) => () => one(planned)),
    { jobs, ...(shared.signal ? { signal: shared.signal } : {}) },
  );
  if (!json && jobs > 1) writeLine(stdout);
  return results;
}

function heading(title: string, label: string, { columns }: TextSink): string {
  const text = `${label}: ${title}`;
  return `${text}\n${'─'.repeat(Math.min(text.length, columns))}`;
}

function report({ stdout, stderr, env }: Terminal, results: readonly RunResult[], { json, mutate }: RunOptions): void {
  if (json) writeLine(stdout, JSON.stringify(runJson(results), undefined, 2));
  else writeLine(stdout, summaryTable(results, { colour: mayColour(stdout, env) }));
  if (mutate) for (const result of results) writeLine(stderr, mutationText(result));
  for (const { reportDir } of results) if (reportDir !== undefined) writeLine(stderr, `Report: ${reportDir}`);
}

function mutationText({ scenario, variant, ok }: RunResult): string {
  const broken = `${scenario.name} (${variant}) was broken on purpose: ${scenario.mutation?.what ?? 'by its mutation'}.`;
  return `${broken} ${ok ? 'Nothing noticed it: its expectations are too weak.' : 'That was noticed, as it must be.'}`;
}

/** Lets a run stay up until Ctrl-C, saying where both sides are. */
function holdOn({ stderr }: Terminal): { isHeld(): boolean; end(): void; begin: (sides: RunningSides) => Promise<void> } {
  let end: (() => void) | undefined;
  return {
    isHeld: () => end !== undefined,
    end: () => end?.(),
    begin: async ({ adminUrl, admins, xdsAddress }) => {
      const envoys = admins ?? [{ envoy: '', adminUrl: adminUrl ?? '(not open)' }];
      const lines = envoys.map((one) => `  Envoy admin  ${one.adminUrl}${one.envoy === '' ? '' : `  (${one.envoy})`}`);
      writeLine(
        stderr,
        `All is decided; ${admins ? 'all' : 'both'} stay up until Ctrl-C.\n${lines.join('\n')}\n  xDS          ${xdsAddress}`,
      );
      await new Promise<void>((resolve) => (end = resolve));
      end = undefined;
    },
  };
}
