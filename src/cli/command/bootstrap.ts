import { Option, type Command } from 'commander';
import { FakeIstiodError } from '../../errors.ts';
import { withExamples } from '../example.ts';
import { addressOption, ipOption, nameOption, pairOption, portOption, repeatedWith } from '../option-value.ts';
import { jsonOption, maxInputOption, namespaceOption, variantOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { BootstrapCommandOptions } from '../action/bootstrap.ts';
import type { ManifestBootstrapOptions } from '../action/manifest-bootstrap.ts';

type Options = Omit<BootstrapCommandOptions, 'shape' | 'xds'> &
  Omit<Partial<ManifestBootstrapOptions>, 'output' | 'variant' | 'maxInput' | 'format'> & { readonly nodeId?: string };

/** `bootstrap`: a file to start an Envoy with. */
export function bootstrapCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('bootstrap')
    .summary('write a bootstrap for an Envoy')
    .description(
      'Writes the bootstrap of an Envoy that gets its clusters and listeners from fake-istiod over ADS; or, with --manifest, the bootstrap of ' +
        'an injected workload, made as the kubelet and pilot-agent make it. Of a running pod (`kubectl get pod NAME -o yaml`) the manifest says all; ' +
        'of anything else the IP and the name of a pod have to be given.',
    )
    .argument('[scenario]', 'with the wishes of this scenario (fetch timeout, ADS cluster name, ...)')
    .option('-o, --output <file>', 'where to; `-` is stdout', '-')
    .addOption(variantOption(['sotw', 'delta'], 'delta'))
    .addOption(
      new Option('--xds <host:port>', 'where fake-istiod listens (default: localhost:15012; with --manifest discoveryAddress)').argParser(
        addressOption('--xds'),
      ),
    )
    .addOption(
      new Option(
        '--shape <shape>',
        "the bootstrap's shape; `lab` reconnects fast, `lesson` is as people write it by hand, `pilot-agent` as Istio's agent writes it (default: lab; with --manifest pilot-agent)",
      ).choices(['lab', 'lesson', 'pilot-agent']),
    )
    .option('--node-id <id>', 'node id: role~IP~pod.namespace~domain')
    .option('--admin-port <port>', 'admin port, 0 for a free one (default: 15000; with --shape lesson 9982)', portOption('--admin-port'))
    .addOption(new Option('--format <format>', "(default: by the file's ending, else json)").choices(['json', 'yaml']))
    .addOption(maxInputOption());
  addManifestOptions(command).action(async (scenario: string | undefined, options: Options) => {
    invocation.exitCode = await run(invocation, scenario, options);
  });
  withExamples(command, [
    ['fake-istiod bootstrap -o envoy.json', 'for `fake-istiod serve` on this machine'],
    ['fake-istiod bootstrap false-live -o false-live.yaml', 'with a fetch timeout, as that scenario wants it'],
    ['fake-istiod bootstrap --shape lesson --format yaml', 'the hand-written shape, to read'],
    ['fake-istiod bootstrap --xds istiod.istio-system.svc:15012 --variant sotw', 'another address, state of the world'],
    [
      'fake-istiod bootstrap --manifest web.yaml --pod-ip 10.0.0.7 --pod-name web-1',
      'what pilot-agent would make of an injected Deployment',
    ],
    ['fake-istiod bootstrap --manifest pod.yaml --explain', 'of a running pod, each part with its origin'],
  ]);
}

/** What is said of a workload and its pod. */
function addManifestOptions(command: Command): Command {
  return command
    .option('--manifest <file>', 'an injected workload or a pod; `-` is stdin')
    .option('--workload <name>', 'which of several: NAME, KIND/NAME or NAMESPACE/NAME')
    .option('--mesh-config <file>', "MeshConfig, the ConfigMap `istio`, or a ProxyConfig, below the workload's own")
    .addOption(new Option('--pod-ip <ip>', "the pod's IP; once more for a second one").argParser(repeatedWith(ipOption('--pod-ip'))))
    .addOption(new Option('--pod-name <name>', "the pod's name").argParser(nameOption('--pod-name')))
    .addOption(namespaceOption())
    .option('--pod-uid <uid>', "the pod's uid, if something wants it")
    .addOption(new Option('--host-ip <ip>', "the node's IP").argParser(repeatedWith(ipOption('--host-ip'))))
    .option('--node-name <name>', "the node's name")
    .option('--node-cpu <quantity>', 'CPUs of the node, which a container without a limit is told')
    .option('--node-memory <quantity>', 'memory of the node, likewise')
    .option('--cluster-id <id>', 'ISTIO_META_CLUSTER_ID instead of the one of the manifest')
    .addOption(
      new Option('--env <name=value>', 'environment of the proxy over the manifest; may be repeated').argParser(pairOption('--env')),
    )
    .option('--istio-version <version>', "whose pilot-agent, e.g. 1.26 or 1.31.1 (default: by the proxy's image, else the newest known)")
    .option(
      '--bootstrap-override <file>',
      "the ConfigMap of sidecar.istio.io/bootstrapOverride, or what it holds; merged as Envoy's --config-yaml",
    )
    .addOption(
      new Option('--existing-socket <which...>', 'sockets of others that pilot-agent finds when it starts, e.g. of SPIRE').choices([
        'workload',
        'credential',
      ]),
    )
    .option('--explain', 'show where each part comes from instead of the bootstrap')
    .addOption(jsonOption());
}

const manifestOnly: readonly (readonly [key: keyof Options, option: string])[] = [
  ['workload', '--workload'],
  ['meshConfig', '--mesh-config'],
  ['podIp', '--pod-ip'],
  ['podName', '--pod-name'],
  ['namespace', '--namespace'],
  ['podUid', '--pod-uid'],
  ['hostIp', '--host-ip'],
  ['nodeName', '--node-name'],
  ['nodeCpu', '--node-cpu'],
  ['nodeMemory', '--node-memory'],
  ['clusterId', '--cluster-id'],
  ['env', '--env'],
  ['istioVersion', '--istio-version'],
  ['bootstrapOverride', '--bootstrap-override'],
  ['existingSocket', '--existing-socket'],
  ['explain', '--explain'],
  ['json', '--json'],
];

async function run({ terminal }: Invocation, scenario: string | undefined, options: Options): Promise<Invocation['exitCode']> {
  const { manifest, shape, xds } = options;
  if (manifest !== undefined) {
    if (scenario !== undefined || options.nodeId !== undefined) {
      throw new FakeIstiodError(
        'usage.invalid',
        `--manifest and ${scenario === undefined ? '--node-id' : 'a scenario'} exclude each other`,
        {
          remedy: 'Leave one of them out',
        },
      );
    }
    const { writeManifestBootstrap } = await import('../action/manifest-bootstrap.ts');
    return writeManifestBootstrap(terminal, { ...options, manifest, shape: shape ?? 'pilot-agent' });
  }
  const alone =
    manifestOnly.find(([key]) => options[key] !== undefined)?.[1] ?? (shape === 'pilot-agent' ? '--shape pilot-agent' : undefined);
  if (alone !== undefined)
    throw new FakeIstiodError('usage.invalid', `${alone} needs --manifest`, { remedy: 'Name an injected workload with it' });
  const { writeBootstrap } = await import('../action/bootstrap.ts');
  const plain = shape === 'lesson' ? shape : 'lab';
  return writeBootstrap(terminal, scenario, { ...options, shape: plain, xds: xds ?? { host: 'localhost', port: 15_012 } });
}
