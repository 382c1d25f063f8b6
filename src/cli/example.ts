import type { Command } from 'commander';

/** A command line and what it is good for. */
export type Example = readonly [line: string, what: string];

const examples = new WeakMap<Command, readonly Example[]>();

/** Adds examples to the end of a command's help. */
export function withExamples(command: Command, list: readonly Example[]): Command {
  examples.set(command, list);
  return command.addHelpText('after', () => `\nExamples:\n${list.map(([line, what]) => `  # ${what}\n  ${line}`).join('\n')}`);
}

/** The examples of a command. */
export function examplesOf(command: Command): readonly Example[] {
  return examples.get(command) ?? [];
}
