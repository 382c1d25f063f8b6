import type { Command } from 'commander';
import { withExamples } from '../example.ts';
import { durationOption, repeated } from '../option-value.ts';
import { jsonOption, maxInputOption, timeoutOption } from '../option.ts';
import type { Invocation } from '../program.ts';
import type { VerifyCommandOptions } from '../action/ctl-verify.ts';

/** `ctl verify`: a scenario's expectations on an istiod and an Envoy that run already. */
export function ctlVerifyCommand(ctl: Command, invocation: Invocation): void {
  const command = ctl
    .command('verify')
    .summary('check what a scenario expects, on an istiod and an Envoy that run')
    .description(
      'Follows a fake istiod over its control API and an Envoy over its admin API, shows what happens, and checks what the scenario expects ' +
        'of both. Exits 0 if all came as expected, else 1 and says why. Start it before Envoy: what is over cannot be looked at any more.',
    )
    .argument('[scenario]', 'file, or name of a packaged scenario (default: the one that istiod plays, by its name)')
    .option(
      '--envoy-admin <url>',
      "Envoy's admin API; it is waited for (default: http://127.0.0.1:15000). Of several Envoys each, by its name: --envoy-admin east=http://…",
      repeated,
    )
    .option('--envoy-log <file>', "a file with Envoy's log; without one what should stand there is not looked at")
    .option('--wait <duration>', 'how long to wait for istiod and for Envoy', durationOption('--wait'), 60_000)
    .option('--ready-file <file>', 'write this file once istiod is followed, so that an Envoy can be started after it')
    .option('--report <dir>', 'write timeline, dumps and a sequence diagram there')
    .addOption(timeoutOption())
    .addOption(maxInputOption())
    .addOption(jsonOption())
    .action(async (scenario: string | undefined, _options: unknown, self: Command) => {
      const { ctlVerify } = await import('../action/ctl-verify.ts');
      invocation.exitCode = await ctlVerify(invocation.terminal, scenario, self.optsWithGlobals<VerifyCommandOptions>());
    });
  withExamples(command, [
    ['fake-istiod ctl verify withhold-first-cds', 'a local istiod and an Envoy whose admin API is on 15000'],
    [
      'fake-istiod ctl verify ready --istiod http://istiod:15080 --envoy-admin http://envoy:15000',
      'both elsewhere, as in docker-compose.yml',
    ],
    [
      'fake-istiod ctl verify two-networks --envoy-admin east=http://e:15000 --envoy-admin west=http://w:15000 --envoy-admin lost=http://l:15000',
      'a scenario with several Envoys',
    ],
    ['fake-istiod ctl verify mine.yaml --envoy-log envoy.log --report out', 'with its log, everything kept in a folder'],
  ]);
}
