import { Option, type Command } from 'commander';
import { withExamples } from '../example.ts';
import type { Invocation } from '../program.ts';
import { addContentCommands } from './ctl-content.ts';
import { addEventCommands } from './ctl-events.ts';
import { addIdentityCommands } from './ctl-identity.ts';
import { addLookCommands } from './ctl-look.ts';
import { addMoveCommands } from './ctl-move.ts';
import { addRuleCommands } from './ctl-rules.ts';
import { ctlVerifyCommand } from './ctl-verify.ts';

/** `ctl`: the control API of a fake istiod that runs, from a shell. */
export function ctlCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('ctl')
    .summary('look at and move a fake istiod that runs')
    .description('Talks to the control API of a fake istiod: what `serve --control-port 15080` opens.')
    .addOption(new Option('--istiod <url>', 'its control API (default: $FAKE_ISTIOD_CONTROL, else http://127.0.0.1:15080)'))
    .option('--token <token>', 'what it asks for; better in $FAKE_ISTIOD_CONTROL_TOKEN, which ps does not show');
  addLookCommands(command, invocation);
  addContentCommands(command, invocation);
  addMoveCommands(command, invocation);
  addRuleCommands(command, invocation);
  addIdentityCommands(command, invocation);
  addEventCommands(command, invocation);
  ctlVerifyCommand(command, invocation);
  withExamples(command, [
    ['fake-istiod ctl nodes', 'who is connected, and how far each has got'],
    ['fake-istiod ctl withhold CDS', 'the next Envoy stays in PRE_INITIALIZING'],
    ['fake-istiod ctl release CDS', 'and goes on'],
    ['fake-istiod ctl wait event response.acked type=CDS --timeout 5s', 'exits 1 and says why if it does not come'],
    ['fake-istiod ctl events --follow', 'what happens, until Ctrl-C'],
  ]);
}
