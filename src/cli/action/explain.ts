import { ExitCode } from '../../errors.ts';
import { explainScenario } from '../../script/explain.ts';
import { scenarioNamed } from '../scenario-source.ts';
import type { Terminal } from '../terminal.ts';

export interface ExplainOptions {
  readonly maxInput: number;
}

/** `explain`. */
export async function explain({ stdout }: Terminal, scenario: string, options: ExplainOptions): Promise<ExitCode> {
  stdout.write(explainScenario(await scenarioNamed(scenario, options)));
  return ExitCode.ok;
}
