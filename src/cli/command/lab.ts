import { Option, type Command } from 'commander';
import type { LabOptions } from '../action/lab.ts';
import { withExamples } from '../example.ts';
import { ipOption, nameOption, portOption } from '../option-value.ts';
import { envoyOption, jsonOption, maxInputOption, variantOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** `lab`: the lesson in one folder, made and graded. */
export function labCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('lab')
    .summary("make the lab of docs/two-failures.md in a folder, or grade a student's")
    .description(
      "Makes the lab in a folder: an injected manifest and its mesh config, what pilot-agent reads in them, the bootstrap, Envoy's word about it and about " +
        'one with a wrong name, and a real Envoy that stays PRE_INITIALIZING since there is no istiod. Then it starts one, and the same Envoy becomes LIVE, ' +
        'watched and asserted. Files that are there already stay as they are, and are gone on with. With --check it grades such a folder line by line, ' +
        'against the manifest and mesh config in it, with hints, and exits 1 if something is not right.',
    )
    .argument('<dir>', 'the folder')
    .option('--check', 'grade the folder instead of making it; needs no Envoy')
    .option('--manifest <file>', "an injected manifest instead of the folder's inject.yaml or the built-in example")
    .option('--mesh-config <file>', 'its mesh config: MeshConfig, the `istio` ConfigMap, or a ProxyConfig')
    .option('--workload <name>', 'which of several: NAME, KIND/NAME or NAMESPACE/NAME')
    .addOption(new Option('--pod-ip <ip>', "the pod's IP (default: of the manifest, else 10.0.0.7)").argParser(ipOption('--pod-ip')))
    .addOption(
      new Option('--pod-name <name>', "the pod's name (default: of the manifest, else WORKLOAD-6d5f9)").argParser(nameOption('--pod-name')),
    )
    .addOption(envoyOption())
    .addOption(variantOption(['sotw', 'delta'], 'delta'))
    .option('--port <port>', 'where istiod will listen (default: a free port)', portOption('--port'))
    .option('--report <dir>', 'write the report of the run with istiod there')
    .option('--force', 'overwrite files of other content')
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (dir: string, options: LabOptions) => {
      const { lab } = await import('../action/lab.ts');
      const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
      invocation.exitCode = await lab(invocation.terminal, dir, options, isGiven);
    });
  withExamples(command, [
    ['fake-istiod lab lab/', 'the whole lesson, of the built-in example'],
    ['fake-istiod lab lab/ --manifest injected.yaml --mesh-config mesh.yaml', 'of a workload of yours'],
    ['fake-istiod lab --check lab/', "grade a student's folder"],
    ['fake-istiod lab --check lab/ --json', 'for a program to read'],
  ]);
}
