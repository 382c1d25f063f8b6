import { Writable } from 'node:stream';
import { ExitCode } from '../../errors.ts';
import type { TimelineEvent } from '../../events.ts';
import type { FakeIstiod } from '../../fake-istiod.ts';
import { startFakeIstiod } from '../../istiod.ts';
import type { LogLevel } from '../../observe/log.ts';
import type { Timeline } from '../../observe/timeline.ts';
import { wantsCredentials } from '../../script/bootstrap-wish.ts';
import type { Scenario } from '../../script/scenario.ts';
import { defaultAdminPort, writeBootstrapFile } from '../bootstrap-file.ts';
import { controlLines, controlOptions, type ControlFlags } from '../control-flags.ts';
import { debugLines, debugOptions, type DebugFlags } from '../debug-flags.ts';
import { openedPki } from '../opened-pki.ts';
import { servedInput } from '../served-input.ts';
import { mayColour, writeLine, type Terminal } from '../terminal.ts';
import { writeWarnings } from '../warning.ts';
import { WatchedFiles } from '../watched-files.ts';

export interface ServeOptions extends ControlFlags, DebugFlags {
  readonly plaintextPort: number | false;
  readonly tls: 'auto' | 'on' | 'off';
  /** True with `--not-ready`. */
  readonly notReady?: boolean;
  /** With `--watch`. */
  readonly watch?: boolean;
  readonly bootstrapOut?: string;
  readonly variant: 'sotw' | 'delta';
  readonly shape: 'lab' | 'lesson';
  readonly logLevel: LogLevel;
  readonly maxMessage?: number;
  readonly maxInput: number;
  readonly pki?: string;
  /** `--auth` and `--no-auth`; undefined: as the scenario says, or by `pki`. */
  readonly auth?: boolean;
}

/** `serve`: until Ctrl-C. */
export async function serve(terminal: Terminal, inputs: readonly string[], options: ServeOptions): Promise<ExitCode> {
  const control = controlOptions(options, terminal);
  const files = new WatchedFiles(terminal.clock);
  files.note(inputs);
  const { scenario, title, warnings } = await servedInput(inputs, options);
  files.note(filesOf(scenario, inputs));
  writeWarnings(terminal.stderr, warnings);
  const interrupted = untilInterrupt(terminal);
  const served = options.notReady ? { ...scenario, istiod: { ...scenario.istiod, ready: false } } : scenario;
  const say = (...lines: readonly string[]): void => lines.forEach((line) => writeLine(terminal.stderr, line));
  let said = false;
  const debug = debugOptions(options, ({ message }) => say(`Without metrics and debug pages: ${message}`));
  const moreToSay = control !== undefined || debug !== undefined;
  const onEvent = (event: TimelineEvent): void => {
    if (event.event !== 'server.started' || said) return;
    said = true;
    say(servesLine(event.addresses, scenario, title, options));
    if (!moreToSay) say(...pointers(scenario, portOf(event.addresses[0] ?? ''), options), lastLine);
  };
  const istiod = await startFakeIstiod({
    scenario: served,
    port: options.port,
    tls: options.tls,
    clock: terminal.clock,
    onEvent,
    ...(options.plaintextPort === false ? {} : { plaintextPort: options.plaintextPort }),
    ...(options.bind ? { bind: options.bind } : {}),
    ...(options.maxMessage === undefined ? {} : { maxMessageBytes: options.maxMessage }),
    ...(options.auth === undefined ? {} : { auth: options.auth }),
    ...(options.pki === undefined ? {} : { pki: await openedPki(options.pki, terminal) }),
    ...(control ? { control, maxInputBytes: options.maxInput } : {}),
    ...(debug ? { debug } : {}),
    ...(terminal.env['POD_NAME'] ? { podName: terminal.env['POD_NAME'] } : {}),
  });
  try {
    if (!said) say(`fake-istiod plays \`${title}\`, in which nothing listens at first.`);
    if (control && istiod.control) say(...controlLines(istiod.control, control));
    if (istiod.debug) say(...debugLines(istiod.debug));
    if (moreToSay || !said) say(...pointers(scenario, istiod.port, options), lastLine);
    said = true;
    if (options.bootstrapOut !== undefined) {
      await writeBootstrapFile(
        istiod.bootstrap({ variant: options.variant, shape: options.shape, admin: { port: defaultAdminPort(options.shape) } }),
        options.bootstrapOut,
        undefined,
        terminal,
      );
    }
    await logFromTheStart(istiod.timeline, terminal, options.logLevel);
    if (options.watch) files.watch(() => readAgain(istiod, inputs, options));
    await interrupted.finally(() => files.stop());
  } finally {
    await istiod.stop();
  }
  for (const { sentence } of istiod.neverFired) writeLine(terminal.stderr, sentence);
  return ExitCode.ok;
}

/** The files that what is served was read from. */
function filesOf({ file, alsoRead = [] }: Scenario, inputs: readonly string[]): readonly string[] {
  return file === undefined ? inputs : [file, ...alsoRead];
}

/** Serves what the files say now. What is wrong with them is told in the timeline, and so in the log. */
function readAgain(istiod: FakeIstiod, inputs: readonly string[], options: ServeOptions): void {
  istiod.serveAnew(async () => (await servedInput(inputs, options)).scenario).catch(() => undefined);
}

function untilInterrupt(terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    terminal.onInterrupt(resolve);
  });
}

const lastLine = 'Ctrl-C ends it.';

/** Said as soon as the ports listen; `addresses` have the main port first. */
function servesLine(addresses: readonly string[], scenario: Scenario, title: string, options: ServeOptions): string {
  const port = portOf(addresses[0] ?? '');
  const what = { auto: 'TLS and plaintext', on: 'TLS', off: 'plaintext' }[options.tls];
  const both = addresses.filter((address) => portOf(address) === port);
  const plain = addresses.filter((address) => !both.includes(address));
  const silent = scenario.istiod.state === 'silent' ? ', silent' : '';
  const where = [`${both.join(' and ')} (${what}${silent})`, ...(plain.length > 0 ? [`${plain.join(' and ')} (plaintext)`] : [])];
  return `fake-istiod serves \`${title}\` on ${where.join(', ')}.`;
}

/** How to point an Envoy at the server. */
function pointers(scenario: Scenario, port: number, { bootstrapOut, pki, auth }: ServeOptions): readonly string[] {
  const written = bootstrapOut === undefined || bootstrapOut === '-' ? undefined : bootstrapOut;
  if (bootstrapOut === undefined && wantsCredentials(scenario.bootstrap))
    return ['Its Envoy has certificates or tokens of this server: start it with --bootstrap-out envoy.json.'];
  const point =
    written === undefined
      ? `fake-istiod bootstrap${inputWord(scenario)} -o envoy.json${xdsWord(port)}; envoy -c envoy.json`
      : `envoy -c ${written}`;
  if (auth ?? pki !== undefined) return [proofs(pki)];
  return ['Point an Envoy at it:', `  ${point}`];
}

/** What those who connect have to bring. */
function proofs(pki: string | undefined): string {
  const whose =
    pki === undefined
      ? 'a token or a client certificate'
      : `a token (fake-istiod token --pki ${pki} …) or a client certificate (fake-istiod ca sign --pki ${pki} …)`;
  return `Who connects has to bring ${whose}.`;
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

/** The argument of `bootstrap` that brings the scenario's wishes along, if it has any. */
function inputWord({ bootstrap, file, name }: Scenario): string {
  if (Object.keys(bootstrap).length === 0) return '';
  return ` ${file ?? name}`;
}

function xdsWord(port: number): string {
  return port === 15_012 ? '' : ` --xds localhost:${port}`;
}

/** The log is loaded once the ports listen; what happened meanwhile comes first. */
async function logFromTheStart(timeline: Timeline, { stderr, env }: Terminal, level: LogLevel): Promise<void> {
  const { createLog, logEvents } = await import('../../observe/log.ts');
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      stderr.write(chunk.toString('utf8'));
      done();
    },
  });
  const log = await createLog({ level, stream, pretty: stderr.isTty, colour: mayColour(stderr, env) });
  const subscribe: Timeline['subscribe'] = (listener) => {
    timeline.events.forEach(listener);
    return timeline.subscribe(listener);
  };
  logEvents({ ...timeline, subscribe }, log);
}
