import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { addressOption, portOption } from '../option-value.ts';
import { maxInputOption, shapeOption, variantOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { BootstrapCommandOptions } from '../action/bootstrap.ts';

/** `bootstrap`: a file to start an Envoy with. */
export function bootstrapCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('bootstrap')
    .summary('write a bootstrap for an Envoy')
    .description('Writes the bootstrap of an Envoy that gets its clusters and listeners from fake-istiod over ADS.')
    .argument('[scenario]', 'with the wishes of this scenario (fetch timeout, ADS cluster name, ...)')
    .option('-o, --output <file>', 'where to; `-` is stdout', '-')
    .addOption(variantOption(['sotw', 'delta'], 'delta'))
    .addOption(
      new Option('--xds <host:port>', 'where fake-istiod listens')
        .argParser(addressOption('--xds'))
        .default({ host: 'localhost', port: 15012 }, 'localhost:15012'),
    )
    .addOption(shapeOption())
    .option('--node-id <id>', 'node id, e.g. sidecar~10.0.0.7~web-1.demo~demo.svc.cluster.local')
    .option('--admin-port <port>', 'admin port, 0 for a free one (default: 15000; with --shape lesson 9982)', portOption('--admin-port'))
    .addOption(new Option('--format <format>', "(default: by the file's ending, else json)").choices(['json', 'yaml']))
    .addOption(maxInputOption())
    .action(async (scenario: string | undefined, options: BootstrapCommandOptions) => {
      const { writeBootstrap } = await import('../action/bootstrap.ts');
      invocation.exitCode = await writeBootstrap(invocation.terminal, scenario, options);
    });
  withExamples(command, [
    ['fake-istiod bootstrap -o envoy.json', 'for `fake-istiod serve` on this machine'],
    ['fake-istiod bootstrap false-live -o false-live.yaml', 'with a fetch timeout, as that scenario wants it'],
    ['fake-istiod bootstrap --shape lesson --format yaml', 'the hand-written shape, to read'],
    ['fake-istiod bootstrap --xds istiod.istio-system.svc:15012 --variant sotw', 'another address, state of the world'],
  ]);
}
