import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { countOption, portOption, repeated } from '../option-value.ts';
import { envoyOption, jsonOption, maxInputOption, pkiOption, shapeOption, timeoutOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { RunOptions } from '../action/run.ts';

/** `run`: scenarios against a real Envoy, watched and asserted. */
export function runCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('run')
    .summary('run scenarios against a real Envoy, watch and assert')
    .description(
      'Starts fake-istiod and a real Envoy for each scenario and variant, shows what happens as it happens, and checks what the ' +
        'scenario expects. Exits 0 if all came as expected, else 1 and says why.',
    )
    .argument('<scenario...>', 'files, or names of packaged scenarios (`fake-istiod scenarios` lists them)')
    .addOption(
      new Option('--variant <variant>', 'how xDS is spoken (default: both; with --hold or --envoy-admin one)').choices([
        'sotw',
        'delta',
        'both',
      ]),
    )
    .addOption(envoyOption())
    .option('--envoy-arg <arg>', 'a further argument for Envoy; may be repeated', repeated)
    .option('--bootstrap <file>', 'your own bootstrap; its xDS address is rewritten')
    .addOption(
      new Option('--envoy-admin <url>', 'use the Envoy that runs there, e.g. http://127.0.0.1:15000').conflicts([
        'envoy',
        'envoyArg',
        'bootstrap',
      ]),
    )
    .option('--port <port>', 'where istiod listens (default: a free port; with --envoy-admin 15012)', portOption('--port'))
    .addOption(pkiOption())
    .option('--hold', 'stay up afterwards until Ctrl-C, to look around')
    .option('--report <dir>', 'write timeline, logs, dumps and a sequence diagram there')
    .option('--jobs <n>', 'so many runs at a time', countOption('--jobs'), 1)
    .option('--mutate', 'break each scenario by its own mutation: it must fail')
    .addOption(shapeOption())
    .addOption(timeoutOption())
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (scenarios: string[], options: RunOptions) => {
      const { run } = await import('../action/run.ts');
      invocation.exitCode = await run(invocation.terminal, scenarios, options);
    });
  withExamples(command, [
    ['fake-istiod run withhold-first-cds', 'both variants, on Envoy 1.40.0 (fetched if there is none)'],
    ['fake-istiod run ready --variant delta --envoy 1.38.3', 'one variant, another Envoy'],
    ['fake-istiod run mine.yaml --report out/', 'a scenario of your own, everything kept in a folder'],
    ['fake-istiod run withhold-first-lds --hold', 'stop at the end and look at the admin page'],
    ['fake-istiod run ready --bootstrap envoy.yaml', 'with your own bootstrap'],
    ['fake-istiod run scenarios/*.yaml --jobs 2 --json', 'many, for a program to read'],
  ]);
}
