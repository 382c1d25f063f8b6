import { ExitCode, FakeIstiodError } from '../../errors.ts';
import {
  defaultEnvoyVersion,
  envoyText,
  findEnvoy,
  installEnvoy,
  listEnvoys,
  validateBootstrap,
  type EnvoyCandidate,
} from '../../envoy/index.ts';
import { progressOn } from '../progress.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { textTable } from '../text-table.ts';

export interface WhichOptions {
  readonly envoy?: string;
  readonly json?: boolean;
}

export interface ValidateCommandOptions {
  readonly envoy?: string;
  readonly envoyArg?: readonly string[];
}

/** `envoy which`. Exits 3 if there is none yet. */
export async function which({ stdout, stderr, env }: Terminal, { envoy: wanted, json }: WhichOptions): Promise<ExitCode> {
  const candidates = await listEnvoys({ env, ...(wanted === undefined ? {} : { wanted }) });
  const used = candidates.find(({ envoy }) => envoy)?.envoy;
  const exitCode = used ? ExitCode.ok : ExitCode.environment;
  if (json) {
    writeLine(stdout, JSON.stringify({ used: used ?? null, looked: candidates }, undefined, 2));
    return exitCode;
  }
  if (used) writeLine(stdout, envoyText(used));
  writeLine(stderr, textTable(candidates.map(candidateRow), '  '));
  if (!used)
    writeLine(stderr, `No Envoy is here yet. \`fake-istiod envoy install\` fetches ${defaultEnvoyVersion}; so does the first \`run\`.`);
  return exitCode;
}

function candidateRow({ source, where, envoy, trouble }: EnvoyCandidate): readonly string[] {
  return [source, where === source ? '' : where, envoy ? envoy.version : (trouble ?? '')];
}

/** `envoy install`. */
export async function install(terminal: Terminal, version: string | undefined): Promise<ExitCode> {
  const wanted = (version ?? defaultEnvoyVersion).replace(/^v/, '');
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) {
    throw new FakeIstiodError('usage.invalid', `${wanted} is not a whole Envoy version`, { remedy: 'Give three numbers, e.g. 1.40.0' });
  }
  const progress = progressOn(terminal);
  try {
    const envoy = await installEnvoy(wanted, { env: terminal.env, onProgress: progress.say });
    progress.clear();
    writeLine(terminal.stdout, envoy.kind === 'binary' ? envoy.path : envoy.image);
  } finally {
    progress.clear();
  }
  return ExitCode.ok;
}

/** `envoy validate`. Exits 1 if Envoy refuses the file. */
export async function validate(terminal: Terminal, file: string, { envoy: wanted, envoyArg }: ValidateCommandOptions): Promise<ExitCode> {
  const progress = progressOn(terminal);
  const { env, stdout } = terminal;
  const envoy = await findEnvoy({ env, onProgress: progress.say, ...(wanted === undefined ? {} : { wanted }) }).finally(progress.clear);
  const { ok, output, reasons } = await validateBootstrap({ bootstrap: file, envoy, env, ...(envoyArg ? { args: envoyArg } : {}) });
  for (const line of ok ? output : reasons) writeLine(stdout, line);
  writeLine(stdout, `${file}: Envoy ${envoy.version} ${ok ? 'takes it' : 'refuses it'}`);
  return ok ? ExitCode.ok : ExitCode.unexpected;
}
