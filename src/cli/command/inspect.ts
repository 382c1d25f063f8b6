import type { Command } from 'commander';
import type { InspectOptions } from '../action/inspect.ts';
import { withExamples } from '../example.ts';
import { jsonOption, maxInputOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** `inspect`: what an injected manifest says about its proxy. */
export function inspectCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('inspect')
    .summary('read an injected manifest or a mesh config')
    .description(
      'Reads the output of `istioctl kube-inject`, or pods as `kubectl get -o yaml` gives them: args, variables and where their values come from, ' +
        'node metadata, identity, probes, annotations that change the bootstrap, and the ProxyConfig with the source of each value. Any number ' +
        'of documents, kinds and lists; forms back to Istio 1.0. A mesh config is read as well. With --against it says whether istiod can tell ' +
        'the clusters of two proxies apart, and exits 1 if it can not. Exits 2 if something in the file cannot be read; the rest is shown.',
    )
    .argument('<file>', 'injected manifest, mesh config, or (with --against) a bootstrap; `-` is stdin')
    .option('--workload <name>', 'only this one: NAME, KIND/NAME or NAMESPACE/NAME')
    .option('--mesh-config <file>', 'MeshConfig, the `istio` ConfigMap, or a ProxyConfig, to compare with')
    .option('--against <file>', 'another manifest or bootstrap: are their clusters one to istiod?')
    .option('--lab <dir>', "write the lab's files: 01-args.txt, 02-env.txt, 07-identity.txt; 03-mesh.txt with --mesh-config")
    .option('--force', 'with --lab: overwrite files of other content')
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (file: string, options: InspectOptions) => {
      const { inspect } = await import('../action/inspect.ts');
      invocation.exitCode = await inspect(invocation.terminal, file, options);
    });
  withExamples(command, [
    ['istioctl kube-inject -f shop.yaml | fake-istiod inspect -', 'what the injector made of it'],
    ['fake-istiod inspect injected.yaml --workload payments --mesh-config mesh.yaml', 'with the ProxyConfig as pilot-agent merges it'],
    ['fake-istiod inspect injected.yaml --mesh-config mesh.yaml --lab lab/', "the lab's name=value files"],
    ['fake-istiod inspect east.yaml --against west.yaml', 'two clusters, or one to istiod?'],
  ]);
}
