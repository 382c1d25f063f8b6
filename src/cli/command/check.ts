import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { envoyOption, jsonOption, maxInputOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { CheckOptions } from '../action/check.ts';

/** `check`: what is wrong with a file. */
export function checkCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('check')
    .summary('check scenarios, resources and bootstraps')
    .description(
      'Checks files without running anything. What a file is, is told by its content. A bootstrap is also given to a real Envoy ' +
        '(`--mode validate`, with and without the flag that pilot-agent starts it with) if one is there already; --envoy fetches one. Exits 1 if it found something, 2 if a file cannot be read.',
    )
    .argument('<file...>', 'files; `-` is stdin')
    .addOption(new Option('--kind <kind>', 'what the files are, if it cannot be told').choices(['scenario', 'resources', 'bootstrap']))
    .addOption(envoyOption())
    .option('--mesh-config <file>', 'the mesh config that bootstraps have to agree with about where istiod is')
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (files: string[], options: CheckOptions) => {
      const { check } = await import('../action/check.ts');
      invocation.exitCode = await check(invocation.terminal, files, options);
    });
  withExamples(command, [
    ['fake-istiod check envoy.yaml', 'a bootstrap, also by the Envoy of this machine'],
    ['fake-istiod check envoy-rev.json --mesh-config mesh.yaml', 'also whether both mean the same istiod'],
    ['fake-istiod check scenarios/*.yaml', 'scenarios'],
    ['fake-istiod check clusters.yaml --kind resources --json', 'resources, for a program to read'],
  ]);
}
