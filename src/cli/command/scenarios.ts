import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { jsonOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { ScenariosOptions } from '../action/scenarios.ts';

/** `scenarios`: what there is to run. */
export function scenariosCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('scenarios')
    .summary('list the packaged scenarios')
    .description('Lists the packaged scenarios: name and what happens.')
    .option('--search <word>', 'only those with the word in name, title, text or tags')
    .addOption(new Option('--names', 'names only, one a line').conflicts('json'))
    .addOption(jsonOption())
    .action(async (options: ScenariosOptions) => {
      const { listScenarios } = await import('../action/scenarios.ts');
      invocation.exitCode = await listScenarios(invocation.terminal, options);
    });
  withExamples(command, [
    ['fake-istiod scenarios', 'all'],
    ['fake-istiod scenarios --search nack', 'those about rejected configuration'],
  ]);
}
