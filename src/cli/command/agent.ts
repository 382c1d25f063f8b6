import { Argument, Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { countOption, durationOption, portOption, repeated } from '../option-value.ts';
import { envoyOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { AgentCommandOptions, WaitCommandOptions } from '../action/agent.ts';

/** `agent`, `agent wait`: the stand-in for pilot-agent. */
export function agentCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('agent')
    .summary("play the sidecar's agent beside a real Envoy")
    .description(
      'Plays pilot-agent in a pod: reads its files and its environment, asks the CA for a certificate and gives it out over SDS, carries xDS to ' +
        'istiod, starts Envoy, and answers /healthz/ready. Ends with Envoy, and as Envoy did.',
    )
    .addArgument(new Argument('[role]', 'what the proxy is').choices(['sidecar', 'router', 'waypoint']).default('sidecar'))
    .option('--root <dir>', "the pod's folder: ./var/run/secrets/… and ./etc/istio/… are below it", '.')
    .option('--mesh-config <file>', 'the mesh config (default: ./etc/istio/config/mesh, if it is there)')
    .option('--discovery-address <host:port>', 'where istiod is, over what PROXY_CONFIG says')
    .option('--domain <name>', 'DNS domain of the node id (default: NAMESPACE.svc.cluster.local)')
    .option('--istio-version <version>', 'whose bootstrap is made', '1.31.0')
    .addOption(
      new Option('--shape <shape>', 'reconnect as pilot-agent lets Envoy do (up to 30 s between tries), or fast, for a lab')
        .choices(['pilot-agent', 'lab'])
        .default('pilot-agent'),
    )
    .option('--bootstrap <file>', 'a bootstrap of your own instead; it has to name the sockets and ports below')
    .addOption(envoyOption().conflicts(['envoyAdmin']))
    .option('--no-envoy', 'start none, as with DISABLE_ENVOY')
    .option('--envoy-admin <url>', 'use the Envoy that runs there, and start none')
    .option('--bootstrap-out <file>', 'write the bootstrap for such an Envoy')
    .option('--envoy-arg <arg>', 'a further argument for Envoy; may be repeated', repeated)
    .option('--concurrency <n>', "Envoy's worker threads", countOption('--concurrency'))
    .option('--bind <address>', 'where 15020, 15021 and 15090 listen', '127.0.0.1')
    .option('--status-port <port>', "the agent's HTTP (default: statusPort of the ProxyConfig, 15020)", portOption('--status-port'))
    .option(
      '--ready-port <port>',
      "Envoy's listener that passes /healthz/ready on (default: ENVOY_STATUS_PORT, 15021)",
      portOption('--ready-port'),
    )
    .option(
      '--prometheus-port <port>',
      "Envoy's listener with its stats (default: ENVOY_PROMETHEUS_PORT, 15090)",
      portOption('--prometheus-port'),
    )
    .option('--admin-port <port>', "Envoy's admin API (default: proxyAdminPort of the ProxyConfig, 15000)", portOption('--admin-port'))
    .addOption(new Option('--log-level <level>', "of the agent's log").choices(['debug', 'info', 'warn', 'error']).default('info'))
    .action(async (role: string, options: AgentCommandOptions) => {
      const { agent } = await import('../action/agent.ts');
      invocation.exitCode = await agent(invocation.terminal, role, options);
    });
  waitCommand(command, invocation);
  withExamples(command, [
    ['fake-istiod agent --root pod', 'a pod whose files are in pod/, with istiod and ports as in a mesh'],
    [
      'fake-istiod agent --root pod --discovery-address localhost:15012 --shape lab --status-port 0 --ready-port 0 --prometheus-port 0 --admin-port 0',
      'beside `fake-istiod serve`, on free ports',
    ],
    ['fake-istiod agent wait', 'until 15021 says that the pod is ready'],
  ]);
}

function waitCommand(command: Command, invocation: Invocation): void {
  command
    .command('wait')
    .description('Waits until the pod says that it is ready, as `pilot-agent wait` does. Exits 1 if it does not in time.')
    .option('--url <url>', 'what is asked', 'http://localhost:15021/healthz/ready')
    .addOption(new Option('--timeout <duration>', 'of all').argParser(durationOption('--timeout')).default(60_000, '60s'))
    .addOption(
      new Option('--request-timeout <duration>', 'of one request').argParser(durationOption('--request-timeout')).default(500, '500ms'),
    )
    .addOption(new Option('--period <duration>', 'between two').argParser(durationOption('--period')).default(500, '500ms'))
    .action(async (options: WaitCommandOptions) => {
      const { wait } = await import('../action/agent.ts');
      invocation.exitCode = await wait(invocation.terminal, options);
    });
}
