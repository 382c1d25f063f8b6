import { Argument, type Command } from 'commander';
import { withExamples } from '../example.ts';
import type { Invocation } from '../program.ts';
import type { Shell } from '../completion-script.ts';

/** `completion`: a script for the user's shell. */
export function completionCommand(root: Command, invocation: Invocation): void {
  const command = root
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Prints a script that completes commands, options and scenario names.')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion-script.ts');
      invocation.terminal.stdout.write(completionScript(shell, root));
    });
  withExamples(command, [
    ['source <(fake-istiod completion bash)', 'in ~/.bashrc'],
    ['source <(fake-istiod completion zsh)', 'in ~/.zshrc, after compinit'],
    ['fake-istiod completion fish | source', 'in ~/.config/fish/config.fish'],
  ]);
}
