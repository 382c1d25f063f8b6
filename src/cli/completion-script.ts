import type { Argument, Command, Option } from 'commander';

export type Shell = 'bash' | 'zsh' | 'fish';

/** What can follow at one place of the command line. */
type Values = { readonly kind: 'words'; readonly words: readonly string[] } | { readonly kind: 'scenarios' } | { readonly kind: 'files' };

interface Place {
  /** Words after the program's name that lead to the command, e.g. `envoy which`. */
  readonly path: string;
  readonly about: string;
  readonly subcommands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly { readonly flag: string; readonly about: string; readonly values: Values | undefined }[];
  readonly values: Values | undefined;
}

/** A completion script, made from the tree of commands so that it never lags behind it. */
export function completionScript(shell: Shell, root: Command): string {
  const places = placesOf(root, []);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}

function placesOf(command: Command, path: readonly string[]): readonly Place[] {
  const visible = command.commands.filter((child) => child.name() !== 'help');
  const options = command.options.filter((option) => !option.hidden);
  const help = { flag: '--help', about: 'show help', values: undefined };
  const own: Place = {
    path: path.join(' '),
    about: firstLine(command),
    subcommands: visible.map((child) => ({ name: child.name(), about: firstLine(child) })),
    flags: [...options.flatMap((option) => flagOf(option) ?? []), help],
    values: command.registeredArguments.map(argumentValues).find((values) => values !== undefined),
  };
  return [own, ...visible.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

function firstLine(command: Command): string {
  return (command.summary() || command.description()).split('\n')[0] ?? '';
}

function flagOf(option: Option): { flag: string; about: string; values: Values | undefined } | undefined {
  if (!option.long) return undefined;
  const takesValue = option.required || option.optional;
  return { flag: option.long, about: option.description, values: takesValue ? optionValues(option) : undefined };
}

function optionValues(option: Option): Values {
  if (option.argChoices) return { kind: 'words', words: option.argChoices };
  return /<(file|dir|which)>/.test(option.flags) ? { kind: 'files' } : { kind: 'words', words: [] };
}

function argumentValues(argument: Argument): Values | undefined {
  if (argument.argChoices) return { kind: 'words', words: argument.argChoices };
  const name = argument.name();
  if (name === 'scenario' || name === 'input') return { kind: 'scenarios' };
  return name === 'file' ? { kind: 'files' } : undefined;
}

function bashScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => path).filter((path) => path !== '');
  const flagCases = places.flatMap(({ path, flags }) =>
    flags.filter(({ values }) => values).map(({ flag, values }) => `    "${path} ${flag}") ${bashValues(values as Values)}; return ;;`),
  );
  const placeCases = places.map(
    ({ path, subcommands, flags, values }) =>
      `    "${path}")\n      words="${[...subcommands.map(({ name }) => name), ...(values?.kind === 'words' ? values.words : [])].join(' ')}"` +
      ` flags="${flags.map(({ flag }) => flag).join(' ')}" more="${values && values.kind !== 'words' ? values.kind : ''}" ;;`,
  );
  return `# bash completion of fake-istiod; load it with: source <(fake-istiod completion bash)
_fake_istiod() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" word next words="" flags="" more=""
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${known.map((path) => `"${path}"`).join('|')}) path="$next" ;; esac
  done
  case "$path $prev" in
${flagCases.join('\n')}
  esac
  case "$path" in
${placeCases.join('\n')}
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    return
  fi
  [[ "$more" == scenarios ]] && words="$words $(fake-istiod scenarios --names 2>/dev/null)"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ -n "$more" ]] && COMPREPLY+=($(compgen -f -- "$cur"))
}
complete -o filenames -F _fake_istiod fake-istiod
`;
}

function bashValues(values: Values): string {
  return values.kind === 'words'
    ? `COMPREPLY=($(compgen -W "${values.words.join(' ')}" -- "$cur"))`
    : 'COMPREPLY=($(compgen -f -- "$cur"))';
}

/** zsh runs the bash script through its own compatibility layer: one script to keep right. */
function zshScript(places: readonly Place[]): string {
  return `# zsh completion of fake-istiod; load it with: source <(fake-istiod completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bashScript(places).split('\n').slice(1).join('\n')}`;
}

function fishScript(places: readonly Place[]): string {
  const lines = ['# fish completion of fake-istiod; load it with: fake-istiod completion fish | source', 'complete -c fake-istiod -f'];
  for (const { path, subcommands, flags, values } of places) {
    const names = subcommands.map(({ name }) => name).join(' ');
    const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const here = (path === '' ? ['__fish_use_subcommand'] : [...seen, ...(names ? [`not __fish_seen_subcommand_from ${names}`] : [])]).join(
      '; and ',
    );
    const start = `complete -c fake-istiod -n '${here}'`;
    for (const { name, about } of subcommands) lines.push(`${start} -a ${name} -d '${fishQuoted(about)}'`);
    if (values) lines.push(`${start} ${fishValues(values)}`);
    for (const flag of flags) {
      lines.push(`${start} -l ${flag.flag.slice(2)} -d '${fishQuoted(flag.about)}'${flag.values ? ` -r ${fishValues(flag.values)}` : ''}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function fishValues(values: Values): string {
  if (values.kind === 'words') return `-a '${values.words.join(' ')}'`;
  return values.kind === 'scenarios' ? "-F -a '(fake-istiod scenarios --names 2>/dev/null)'" : '-F';
}

function fishQuoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
