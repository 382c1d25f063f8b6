import { CommanderError, type Command } from 'commander';
import { ExitCode, FakeIstiodError } from '../errors.ts';
import { useScenarioFolder } from '../script/scenario-folder.ts';
import { reportFailure } from './failure.ts';
import { program, type Invocation } from './program.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line (without `node` and the program's name) to its end. Never throws; gives the exit code. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  const complaints: string[] = [];
  const invocation: Invocation = { terminal, exitCode: ExitCode.ok, complain: (text) => complaints.push(text) };
  const root = program(
    invocation,
    argv.find((word) => !word.startsWith('-')),
  );
  useScenarioFolder(terminal.env['FAKE_ISTIOD_SCENARIOS']);
  try {
    await root.parseAsync([...argv], { from: 'user' });
    return invocation.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.ok;
      return reportFailure(usageError(complaints.join('') || error.message, root, argv), terminal, argv);
    }
    return reportFailure(error, terminal, argv);
  }
}

/** commander's own complaint as one of ours. */
function usageError(complaint: string, root: Command, argv: readonly string[]): FakeIstiodError {
  const help = `\`fake-istiod ${[...commandWords(root, argv), '--help'].join(' ')}\` shows what there is`;
  if (!complaint.startsWith('error:')) return new FakeIstiodError('usage.invalid', `which command? ${help}`);
  const text = complaint
    .trim()
    .replace(/^error: /, '')
    .replace(/^option '(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s, '$1: "$2" is none of $3')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s, '$2: "$1" is none of $3')
    .replace(/\n\(Did you mean (.*)\?\)/s, '; did you mean $1?')
    .trim()
    .replace(/\.$/, '');
  return new FakeIstiodError('usage.invalid', text.endsWith('?') ? `${text} ${help}` : `${text}. ${help}`);
}

/** The command that a line means, e.g. `ca`, `sign`; of a line with no command, none. */
function commandWords(root: Command, argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  let command: Command | undefined = root;
  for (const word of argv.filter((each) => !each.startsWith('-'))) {
    command = command.commands.find((child) => child.name() === word);
    if (!command) break;
    words.push(word);
  }
  return words;
}
