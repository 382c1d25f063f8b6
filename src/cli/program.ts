import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { packageRoot } from '../protobuf/package-root.ts';
import { agentCommand } from './command/agent.ts';
import { bootstrapCommand } from './command/bootstrap.ts';
import { caCommand } from './command/ca.ts';
import { checkCommand } from './command/check.ts';
import { completionCommand } from './command/completion.ts';
import { ctlCommand } from './command/ctl.ts';
import { diagnoseCommand } from './command/diagnose.ts';
import { envoyCommand } from './command/envoy.ts';
import { expandCommand } from './command/expand.ts';
import { explainCommand } from './command/explain.ts';
import { healthcheckCommand } from './command/healthcheck.ts';
import { inspectCommand } from './command/inspect.ts';
import { labCommand } from './command/lab.ts';
import { runCommand } from './command/run.ts';
import { scenariosCommand } from './command/scenarios.ts';
import { serveCommand } from './command/serve.ts';
import { tokenCommand } from './command/token.ts';
import { withExamples } from './example.ts';
import type { Terminal } from './terminal.ts';

/** One call of the program. */
export interface Invocation {
  readonly terminal: Terminal;
  /** What the command ends with; set by its action. An `ExitCode`, but `agent` ends as its Envoy does. */
  exitCode: number;
  /** Takes the parser's words about a wrong command line. */
  readonly complain: (text: string) => void;
}

/** Every command by its name. */
const commands: Readonly<Record<string, (root: Command, invocation: Invocation) => void>> = {
  run: runCommand,
  serve: serveCommand,
  ctl: ctlCommand,
  explain: explainCommand,
  expand: expandCommand,
  scenarios: scenariosCommand,
  bootstrap: bootstrapCommand,
  check: checkCommand,
  inspect: inspectCommand,
  diagnose: diagnoseCommand,
  envoy: envoyCommand,
  agent: agentCommand,
  lab: labCommand,
  ca: caCommand,
  token: tokenCommand,
  healthcheck: healthcheckCommand,
  completion: completionCommand,
};
/** These tell of all others. */
const tellingOfAll: readonly string[] = ['completion', 'help'];

/**
 * The tree of commands. Building it loads no command's own code. `asked`: the command that the command line begins with, if it is known; then
 * the others are left out, for they would take a good part of the start.
 */
export function program(invocation: Invocation, asked?: string): Command {
  const { terminal, complain } = invocation;
  const root = new Command('fake-istiod')
    .description('A fake istiod for the lab: a real Envoy goes PRE_INITIALIZING to LIVE against it, on script.')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command')
    .option('--debug', 'on a defect, show where it happened')
    .version(version(), '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: complain,
      outputError: complain,
      getOutHelpWidth: () => Math.min(terminal.stdout.columns, 100),
      getErrHelpWidth: () => Math.min(terminal.stderr.columns, 100),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const only = asked === undefined || tellingOfAll.includes(asked) || !Object.hasOwn(commands, asked) ? undefined : commands[asked];
  for (const add of only ? [only] : Object.values(commands)) add(root, invocation);
  root.addHelpText('after', `\nExit codes:\n${exitCodesText}`);
  return withExamples(root, [
    ['fake-istiod run withhold-first-cds', 'a real Envoy stuck in PRE_INITIALIZING, then released; watched and asserted'],
    ['fake-istiod serve', 'a fake istiod on 15012 and 15010 for an Envoy of your own'],
    ['fake-istiod scenarios', 'what can be run'],
  ]);
}

/** What the exit codes mean, a line each. */
export const exitCodesText = [
  '  0    all as expected',
  '  1    an expectation failed, a step never fired, or `check` or `lab --check` found something',
  '  2    a file or the command line is wrong',
  '  3    the environment is: no Envoy, a port taken, no Docker daemon',
  '  70   a defect of fake-istiod',
  '  130  called off by Ctrl-C (but `serve` then ends with 0)',
].join('\n');

function version(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
