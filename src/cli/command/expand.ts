import type { Command } from 'commander';
import type { ExpandOptions } from '../action/expand.ts';
import { withExamples } from '../example.ts';
import { maxInputOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** `expand`: what one proxy is served, as resources. */
export function expandCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('expand')
    .summary('print what a proxy is served')
    .description(
      'Prints what a proxy is served from the start, as resources in YAML: services expanded, templates filled, entries of nodes chosen.',
    )
    .argument('<input...>', 'a scenario (file or packaged name), or files with resources')
    .option('--node-id <id>', "the proxy's node id (default: that of the bootstrap which the scenario makes)")
    .option('--node-cluster <name>', "the proxy's node.cluster")
    .option(
      '--metadata <key=value...>',
      'node metadata over what the bootstrap has, e.g. CLUSTER_ID=east NETWORK=net-east INSTANCE_IPS=10.0.0.1',
    )
    .option('--locality <region/zone/subzone>', "the proxy's locality")
    .option('--type <type...>', 'only these types, e.g. CDS EDS')
    .option('--json', 'JSON instead of YAML')
    .addOption(maxInputOption())
    .action(async (inputs: readonly string[], options: ExpandOptions) => {
      const { expand } = await import('../action/expand.ts');
      invocation.exitCode = await expand(invocation.terminal, inputs, options);
    });
  withExamples(command, [
    ['fake-istiod expand twenty-services', 'what twenty lines become'],
    ['fake-istiod expand mesh.yaml --metadata CLUSTER_ID=west INSTANCE_IPS=10.0.0.1 --type EDS', 'for a pod of another cluster'],
  ]);
}
