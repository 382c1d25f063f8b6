import type { Command } from 'commander';
import { withExamples } from '../example.ts';
import { maxInputOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { ExplainOptions } from '../action/explain.ts';

/** `explain`: a scenario in English. */
export function explainCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('explain')
    .summary('say in English what a scenario does')
    .description('Says in English what a scenario serves, what it does when, and what it expects.')
    .argument('<scenario>', 'a file, or the name of a packaged scenario')
    .addOption(maxInputOption())
    .action(async (scenario: string, options: ExplainOptions) => {
      const { explain } = await import('../action/explain.ts');
      invocation.exitCode = await explain(invocation.terminal, scenario, options);
    });
  withExamples(command, [['fake-istiod explain withhold-first-cds', 'before running it']]);
}
