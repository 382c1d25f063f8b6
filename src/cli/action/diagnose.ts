import { diagnoseInputs } from '../../diagnose/diagnose-inputs.ts';
import { diagnosisJson } from '../../diagnose/diagnosis-json.ts';
import { diagnosisText } from '../../diagnose/diagnosis-text.ts';
import { ExitCode } from '../../errors.ts';
import { palette } from '../../runner/colour.ts';
import { failureText } from '../failure.ts';
import { mayColour, writeLine, type Terminal } from '../terminal.ts';

export interface DiagnoseOptions {
  readonly admin?: string;
  readonly maxInput: number;
  readonly json?: boolean;
}

/** `diagnose`. Exits 0 if it could look, whatever it found; an input that cannot be read is an error only if there is no other. */
export async function diagnoseCommandLine(terminal: Terminal, inputs: readonly string[], options: DiagnoseOptions): Promise<ExitCode> {
  const { stdout, stderr, env } = terminal;
  const texts = inputs.includes('-') ? [{ name: '<stdin>', bytes: await terminal.readStdin(options.maxInput) }] : [];
  const result = await diagnoseInputs({
    inputs: inputs.filter((input) => input !== '-'),
    texts,
    maxInputBytes: options.maxInput,
    ...(options.admin === undefined ? {} : { admin: options.admin }),
  });
  if (options.json) writeLine(stdout, JSON.stringify(diagnosisJson(result), undefined, 2));
  else writeLine(stdout, diagnosisText(result, palette(mayColour(stdout, env))));
  for (const failure of result.failures) writeLine(stderr, failureText(failure));
  return ExitCode.ok;
}
