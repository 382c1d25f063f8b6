import type { Argument, Command, Option } from 'commander';
import { examplesOf } from '../src/cli/example.ts';
import { exitCodesText, program } from '../src/cli/program.ts';
import { ExitCode } from '../src/errors.ts';

/** docs/cli.md, written out of the tree of commands. */
export function cliReference(): string {
  const silent = { write: () => undefined, isTty: false, columns: 80 };
  const terminal = {
    stdout: silent,
    stderr: silent,
    env: {},
    clock: { now: () => 0, date: () => new Date(0), after: () => () => undefined },
    readStdin: () => Promise.resolve(new Uint8Array()),
    onInterrupt: () => () => undefined,
  };
  const root = program({ terminal, exitCode: ExitCode.ok, complain: () => undefined });
  const head = [
    '# The command line',
    '<!-- Written by `node tools/docs-cli.mjs` out of src/cli; edit that instead. -->',
    root.description(),
    listOf(root),
    'Results go to stdout; progress, logs and errors to stderr. Colour is used on a terminal only, and `NO_COLOR` turns it off.',
    ['Exit codes:', ...exitCodesText.split('\n').map((line) => line.trim().replace(/^(\d+)\s+/, '- `$1`: '))]
      .join('\n')
      .replace(':\n', ':\n\n'),
  ];
  return `${[...head, ...root.commands.filter(isOurs).flatMap((command) => sections(command, '##'))].join('\n\n')}\n`;
}

function isOurs(command: Command): boolean {
  return command.name() !== 'help';
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function anchorOf(command: Command): string {
  return pathOf(command).replaceAll(' ', '-');
}

function listOf(command: Command): string {
  const rows = command.commands
    .filter(isOurs)
    .map((child) => `- [\`${child.name()}\`](#${anchorOf(child)}): ${child.summary() || child.description()}`);
  return rows.join('\n');
}

function sections(command: Command, level: string): readonly string[] {
  const subcommands = command.commands.filter(isOurs);
  return [
    `${level} ${pathOf(command)}`,
    command.description(),
    subcommands.length > 0 ? listOf(command) : `\`\`\`text\n${pathOf(command)} ${command.usage()}\n\`\`\``,
    table('argument', command.registeredArguments.map(argumentRow)),
    table('option', command.options.map(optionRow)),
    examples(command),
    ...subcommands.flatMap((child) => sections(child, `${level}#`)),
  ].filter((part) => part !== '');
}

function argumentRow(argument: Argument): readonly [string, string] {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return [argument.required ? `<${name}>` : `[${name}]`, withChoices(argument.description, argument.argChoices)];
}

function optionRow(option: Option): readonly [string, string] {
  const fallback: unknown = option.defaultValueDescription ?? option.defaultValue;
  const shown = fallback === undefined || fallback === true || fallback === false ? '' : ` Default: \`${String(fallback)}\`.`;
  return [option.flags, `${withChoices(option.description, option.argChoices)}${shown}`];
}

function withChoices(text: string, choices: readonly string[] | undefined): string {
  return choices ? `${text}: ${choices.map((choice) => `\`${choice}\``).join(', ')}.` : `${text}.`;
}

function table(head: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([name, text]) => `| \`${name}\` | ${text.replaceAll('|', '\\|').replace(/^./, (first) => first.toUpperCase())} |`,
  );
  return [`| ${head} | |`, '| --- | --- |', ...lines].join('\n');
}

function examples(command: Command): string {
  const list = examplesOf(command);
  return list.length === 0 ? '' : `\`\`\`sh\n${list.map(([line, what]) => `# ${what}\n${line}`).join('\n')}\n\`\`\``;
}
