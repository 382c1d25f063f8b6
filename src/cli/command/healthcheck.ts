import type { Command } from 'commander';
import { withExamples } from '../example.ts';
import { durationOption } from '../option-value.ts';
import type { Invocation } from '../program.ts';
import type { HealthcheckOptions } from '../action/healthcheck.ts';

/** `healthcheck`: for containers, whose image has neither a shell nor curl. */
export function healthcheckCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('healthcheck')
    .summary('ask whether a fake-istiod is alive, for a container')
    .description(
      'Asks the control API whether the process is alive, and exits 0 or 3. It is alive whatever its scenario plays: also when nothing listens ' +
        "on istiod's ports. Needs no token.",
    )
    .argument('[url]', 'the control API (default: $FAKE_ISTIOD_CONTROL, else port $FAKE_ISTIOD_CONTROL_PORT or 15080 of this machine)')
    .option('--timeout <duration>', 'how long an answer may take', durationOption('--timeout'), 2_000)
    .action(async (url: string | undefined, options: HealthcheckOptions) => {
      const { healthcheck } = await import('../action/healthcheck.ts');
      invocation.exitCode = await healthcheck(invocation.terminal, url, options);
    });
  withExamples(command, [
    ['fake-istiod healthcheck', 'as HEALTHCHECK in the image does'],
    ['fake-istiod healthcheck http://127.0.0.1:15080', 'another port'],
  ]);
}
