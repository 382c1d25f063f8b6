import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import { portOption, repeated, sizeOption } from '../option-value.ts';
import { maxInputOption, pkiOption, shapeOption, variantOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import { withEnvironment } from '../serve-environment.ts';
import type { ServeOptions } from '../action/serve.ts';

/** `serve`: the control plane alone, until Ctrl-C. */
export function serveCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('serve')
    .summary('serve xDS until Ctrl-C')
    .description(
      'Serves a scenario, a config_dump or resource files to whoever connects, until Ctrl-C. What a file is, is told by its content.',
    )
    .argument('[input...]', 'a scenario (file or packaged name), or files with resources or a config_dump (default: ready)')
    .option('--bind <address>', 'listen there; may be repeated (default: 127.0.0.1 and ::1)', repeated)
    .option('--port <port>', 'TLS and plaintext on one port', portOption('--port'), 15012)
    .option('--plaintext-port <port>', 'plaintext only', portOption('--plaintext-port'), 15010)
    .option('--no-plaintext-port', 'do not open that one')
    .addOption(new Option('--tls <when>', 'on --port: both, TLS only, plaintext only').choices(['auto', 'on', 'off']).default('auto'))
    .option('--not-ready', 'refuse streams, as istiod does before its caches are filled')
    .option('--watch', 'read the files again whenever they change, and push what is new; a file that is wrong changes nothing')
    .addOption(pkiOption())
    .option('--auth', 'believe only who proves it, as istiod does (default with --pki; else as the scenario says)')
    .option('--no-auth', 'believe anybody')
    .option(
      '--control-port <port>',
      'serve the control API there: HTTP and JSON, for ctl, curl and tests (default: not at all)',
      portOption('--control-port'),
    )
    .option('--control-bind <address>', 'its address; elsewhere than on loopback callers need a token (default: 127.0.0.1)')
    .option('--control-token <token>', 'what callers have to bring; better in $FAKE_ISTIOD_CONTROL_TOKEN, which ps does not show')
    .option(
      '--monitoring-port <port>',
      "istiod's own HTTP: /metrics, /version, /debug (default: 15014 with --port 15012, if it is free; else not at all)",
      portOption('--monitoring-port'),
    )
    .option('--no-monitoring-port', 'do not open that one')
    .option('--http-port <port>', 'as 8080 of istiod: /ready, /debug (default: not at all)', portOption('--http-port'))
    .option('--bootstrap-out <file>', 'write a bootstrap for an Envoy; `-` is stdout')
    .addOption(variantOption(['sotw', 'delta'], 'delta'))
    .addOption(shapeOption())
    .addOption(
      new Option('--log-level <level>', '`info` tells of each stream, `debug` of each event')
        .choices(['error', 'warn', 'info', 'debug', 'trace', 'silent'])
        .default('info'),
    )
    .option('--max-message <size>', 'largest message, both ways', sizeOption('--max-message'))
    .addOption(maxInputOption())
    .action(async (inputs: string[], options: ServeOptions) => {
      const { serve } = await import('../action/serve.ts');
      invocation.exitCode = await serve(invocation.terminal, inputs, withEnvironment(options, invocation.terminal));
    });
  withExamples(command, [
    ['fake-istiod serve', 'a small working configuration on 15012 and 15010'],
    ['fake-istiod serve withhold-first-cds --bootstrap-out envoy.json', 'a scenario, and the bootstrap for it'],
    ['fake-istiod serve clusters.yaml listeners.yaml', 'resources in the form Envoy reads them'],
    ['fake-istiod serve config_dump.json --port 0 --no-plaintext-port', 'what another Envoy had, on a free port'],
    ['fake-istiod serve ready --control-port 15080', 'and move it while it runs: fake-istiod ctl --help'],
    ['fake-istiod serve ready --monitoring-port 15014 --http-port 8080', 'and watch it: curl localhost:15014/debug/syncz?pretty'],
    ['fake-istiod serve --pki pki', 'who connects needs a token or a certificate, which the folder is good for'],
  ]);
}
