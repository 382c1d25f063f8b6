import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { jsonOption, maxInputOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { DiagnoseOptions } from '../action/diagnose.ts';

/** `diagnose`: why a proxy is not ready. */
export function diagnoseCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('diagnose')
    .summary('say why a proxy is not ready, from whatever is at hand')
    .description(
      'Says whether a proxy crashes, is not ready, is falsely LIVE or ready, what speaks for which cause, what would rule it out, and where to ' +
        'look next. Takes any number of files, told by their content: injected manifest, mesh config, bootstrap, config_dump, stats, /ready, ' +
        '/server_info, /clusters, /init_dump, logs of Envoy, pilot-agent and istiod, `kubectl describe pod`, `get pods`, `get events`, and ' +
        'folders: a report of `run --report`, or any folder of such files. Says so where it cannot tell. Exits 0 if it could look.',
    )
    .argument('[input...]', 'files and folders; `-` is stdin')
    .addOption(new Option('--admin <url>', 'look at a proxy that runs: http://HOST:PORT or unix:/PATH of its admin API'))
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (inputs: string[], options: DiagnoseOptions) => {
      const { diagnoseCommandLine } = await import('../action/diagnose.ts');
      invocation.exitCode = await diagnoseCommandLine(invocation.terminal, inputs, options);
    });
  withExamples(command, [
    ['fake-istiod diagnose --admin http://127.0.0.1:15000 proxy.log', 'a proxy that runs, and its log'],
    ['kubectl describe pod payments-6d5f9 | fake-istiod diagnose -', 'what Kubernetes says'],
    ['fake-istiod diagnose reports/withhold-eds-delta', 'a run that was made with --report'],
  ]);
}
