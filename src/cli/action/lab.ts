import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { envoyText, findEnvoy, type EnvoyBinary } from '../../envoy/index.ts';
import { gradeLab } from '../../lab/grade-lab.ts';
import { countOf, gradeText } from '../../lab/grade-text.ts';
import type { MadeLab, MakeLabOptions } from '../../lab/make-lab.ts';
import { palette } from '../../runner/colour.ts';
import { timelinePrinter } from '../../runner/timeline-printer.ts';
import { toldText } from '../lab-text.ts';
import { progressOn } from '../progress.ts';
import { mayColour, writeLine, type Terminal } from '../terminal.ts';

export interface LabOptions {
  readonly check?: boolean;
  readonly manifest?: string;
  readonly meshConfig?: string;
  readonly workload?: string;
  readonly podIp?: string;
  readonly podName?: string;
  readonly envoy?: string;
  readonly variant: 'sotw' | 'delta';
  readonly port?: number;
  readonly report?: string;
  readonly force?: boolean;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `lab`. Exits 0 if the Envoy became LIVE (with --check: if all is right), 1 if not, 130 if it was called off. */
export async function lab(terminal: Terminal, dir: string, options: LabOptions, isGiven: (name: string) => boolean): Promise<ExitCode> {
  if (!options.check) return make(terminal, dir, options);
  const making = Object.entries(makingOnly).find(([name]) => isGiven(name));
  if (making)
    throw new FakeIstiodError('usage.invalid', `${making[1]} goes with making a lab, not with --check`, { remedy: 'Leave it out' });
  return check(terminal, dir, options);
}

const makingOnly: Readonly<Record<string, string>> = {
  podIp: '--pod-ip',
  podName: '--pod-name',
  envoy: '--envoy',
  variant: '--variant',
  port: '--port',
  report: '--report',
  force: '--force',
};

function check({ stdout, env }: Terminal, dir: string, options: LabOptions): ExitCode {
  const grade = gradeLab(dir, { ...inputsOf(options), maxInputBytes: options.maxInput });
  if (options.json) writeLine(stdout, JSON.stringify({ ...grade, lines: countOf(grade.files) }, undefined, 2));
  else writeLine(stdout, gradeText(grade, palette(mayColour(stdout, env))));
  return grade.ok ? ExitCode.ok : ExitCode.unexpected;
}

function inputsOf({ manifest, meshConfig, workload }: LabOptions): Pick<MakeLabOptions, 'manifest' | 'meshConfig' | 'workload'> {
  return {
    ...(manifest === undefined ? {} : { manifest }),
    ...(meshConfig === undefined ? {} : { meshConfig }),
    ...(workload === undefined ? {} : { workload }),
  };
}

async function make(terminal: Terminal, dir: string, options: LabOptions): Promise<ExitCode> {
  const envoy = await envoyFor(terminal, options);
  const calledOff = new AbortController();
  const stopListening = terminal.onInterrupt(() => calledOff.abort());
  try {
    const { makeLab } = await import('../../lab/make-lab.ts');
    const made = await makeLab(dir, {
      ...inputsOf(options),
      envoy,
      pod: {
        ...(options.podIp === undefined ? {} : { ip: options.podIp }),
        ...(options.podName === undefined ? {} : { name: options.podName }),
      },
      variant: options.variant,
      force: options.force ?? false,
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(options.report === undefined ? {} : { reportDir: options.report }),
      maxInputBytes: options.maxInput,
      clock: terminal.clock,
      env: terminal.env,
      signal: calledOff.signal,
      ...tellers(terminal, options),
    });
    return report(terminal, dir, made, options, calledOff.signal.aborted);
  } finally {
    stopListening();
  }
}

async function envoyFor(terminal: Terminal, { envoy: wanted }: LabOptions): Promise<EnvoyBinary> {
  const progress = progressOn(terminal);
  const { env } = terminal;
  const envoy = await findEnvoy({ env, onProgress: progress.say, ...(wanted === undefined ? {} : { wanted }) }).finally(progress.clear);
  writeLine(terminal.stderr, envoyText(envoy));
  return envoy;
}

function tellers({ stdout, env }: Terminal, { json }: LabOptions): Pick<MakeLabOptions, 'tell' | 'onEvent'> {
  if (json) return { tell: () => undefined };
  const colour = mayColour(stdout, env);
  const write = (text: string): void => stdout.write(text);
  const printer = timelinePrinter({ write, colour, ...(stdout.isTty ? { width: stdout.columns } : {}) });
  return {
    tell: (told) => write(toldText(told, palette(colour), stdout.isTty ? stdout.columns : 100)),
    onEvent: (event) => printer.event(event),
  };
}

function report({ stdout, stderr, env }: Terminal, dir: string, made: MadeLab, options: LabOptions, isCalledOff: boolean): ExitCode {
  const { files, lonely, run, refused } = made;
  const paint = palette(mayColour(stdout, env));
  const ok = run?.ok ?? false;
  if (options.json) writeLine(stdout, JSON.stringify({ dir, ok, files, ...(lonely ? { lonely } : {}), ...runJson(made) }, undefined, 2));
  else writeLine(stdout, `\n${ok ? paint.good(liveText(made)) : paint.bad(failedText(made))}`);
  if (refused !== undefined) writeLine(stderr, `fake-istiod: ${refused}`);
  const kept = files.filter(({ state }) => state === 'kept').map(({ file }) => file);
  if (kept.length > 0)
    writeLine(stderr, `Kept as they were: ${kept.join(', ')}. --force overwrites them; \`fake-istiod lab --check ${dir}\` grades them.`);
  if (options.report !== undefined && run) writeLine(stderr, `Report: ${options.report}`);
  if (isCalledOff) return ExitCode.interrupted;
  return ok ? ExitCode.ok : ExitCode.unexpected;
}

function liveText({ lonely, run }: MadeLab): string {
  const before = lonely ? `${lonely.readyCode} ${lonely.readyBody}` : 'not ready';
  return `The Envoy that said ${before} is LIVE: nothing of it was changed, only istiod came. ${run?.expectations.length ?? 0} expectations met.`;
}

function failedText({ run, refused }: MadeLab): string {
  if (refused !== undefined) return 'Without a bootstrap that Envoy takes there is nothing more to see.';
  if (!run) return 'Called off.';
  const failed = run.expectations.filter(({ status }) => status === 'failed').length;
  return `The Envoy did not become what was expected: ${failed} of ${run.expectations.length} expectations failed.`;
}

function runJson({ run, refused }: MadeLab): object {
  if (!run) return refused === undefined ? {} : { refused };
  const { ok, variant, envoyVersion, expectations, problems, interrupted, durationMs, timeline } = run;
  return { run: { ok, variant, envoyVersion, expectations, problems, interrupted, durationMs, timeline } };
}
