import { ExitCode, problemText, type FakeIstiodError, type Problem } from '../../errors.ts';
import type { DocumentSource } from '../../protobuf/document.ts';
import type { ExpectedAddress } from '../../sidecar/xds-address-findings.ts';
import { checkFile, type Checked } from '../check-file.ts';
import type { InputKind } from '../input-kind.ts';
import { progressOn } from '../progress.ts';
import { failureText } from '../failure.ts';
import { writeLine, type Terminal } from '../terminal.ts';

export interface CheckOptions {
  readonly kind?: InputKind;
  readonly envoy?: string;
  readonly meshConfig?: string;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `check`. Exits 1 on findings, 2 if a file cannot be read; the worse of several. */
export async function check(terminal: Terminal, files: readonly string[], options: CheckOptions): Promise<ExitCode> {
  const progress = progressOn(terminal);
  const checked: Checked[] = [];
  const expected = options.meshConfig === undefined ? undefined : await addressOf(options.meshConfig, options.maxInput);
  for (const file of files) {
    const source = await sourceOf(file, terminal, options.maxInput);
    const asked = { ...options, ...(expected ? { expected } : {}), env: terminal.env, onProgress: progress.say };
    const result = await checkFile(source, asked).finally(progress.clear);
    checked.push(result);
    if (!options.json) print(terminal, result);
  }
  if (options.json) writeLine(terminal.stdout, JSON.stringify({ files: checked.map(asJson) }, undefined, 2));
  const codes = checked.map(exitCodeOf);
  const worst = [ExitCode.internal, ExitCode.environment, ExitCode.input, ExitCode.unexpected].find((code) => codes.includes(code));
  return worst ?? ExitCode.ok;
}

async function addressOf(file: string, maxInputBytes: number): Promise<ExpectedAddress> {
  const { readMeshConfig } = await import('../../sidecar/read-mesh-config.ts');
  const { value, at, source } = readMeshConfig(file, { maxInputBytes }).discoveryAddress;
  return { address: value, source: source === 'default' ? `${file}, by default` : file, ...(at ? { at } : {}) };
}

async function sourceOf(file: string, terminal: Terminal, maxInput: number): Promise<DocumentSource> {
  return file === '-' ? { name: '<stdin>', bytes: await terminal.readStdin(maxInput) } : file;
}

function exitCodeOf({ failure, findings }: Checked): ExitCode {
  if (failure) return failure.exitCode;
  return findings.length > 0 ? ExitCode.unexpected : ExitCode.ok;
}

function print({ stdout, stderr }: Terminal, { file, kind, findings, warnings, notes, failure }: Checked): void {
  for (const finding of findings) writeLine(stdout, problemText(finding));
  for (const warning of warnings) writeLine(stdout, `warning: ${problemText(warning)}`);
  if (failure) return writeLine(stderr, failureText(failure));
  const count = findings.length === 0 ? 'ok' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  const aside = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  writeLine(stdout, `${file}: ${kind === undefined ? '' : `${kind}: `}${count}${aside}`);
}

function asJson({ file, kind, findings, warnings, notes, failure }: Checked): object {
  return {
    file,
    kind: kind ?? null,
    ok: failure === undefined && findings.length === 0,
    findings: findings.map(problemJson),
    warnings: warnings.map(problemJson),
    notes,
    ...(failure ? { error: errorJson(failure) } : {}),
  };
}

function problemJson({ at, what, remedy }: Problem): object {
  return { ...at, what, ...(remedy === undefined ? {} : { remedy }) };
}

function errorJson({ code, message, problems }: FakeIstiodError): object {
  return { code, message, problems: problems.map(problemJson) };
}
