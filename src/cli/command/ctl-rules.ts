import type { Command } from 'commander';
import type { Invocation } from '../program.ts';
import { call, leaf } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-move.ts');
const commandArgument = [
  '<command>',
  "in the words of a scenario, such as '{delay: {type: EDS, by: 2s}}'; @FILE, or @- for standard input",
] as const;

/** What is in force. */
export function addRuleCommands(ctl: Command, invocation: Invocation): void {
  const rules = ctl
    .command('rules')
    .summary('what is in force')
    .description('What is in force: withholds, faults, refusals, gates and the like.');
  leaf(rules, 'list', 'all that is in force')
    .option('--kind <kind>', 'only rules of this kind, such as withhold, refuse or gate')
    .action(({ kind }: { readonly kind?: string }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).listRules(client, kind)),
    );
  leaf(rules, 'show', 'one rule')
    .argument('<id>', 'its id')
    .action((id: string, _: unknown, self: Command) => call(invocation, self, async (client) => (await actions()).showRule(client, id)));
  leaf(rules, 'add', 'add a rule: one command that leaves something in force')
    .argument(...commandArgument)
    .action((text: string, _: unknown, self: Command) =>
      call(invocation, self, async (client, terminal) => {
        const [{ withTextOrFile }, { addRule }] = await Promise.all([import('../written-file.ts'), actions()]);
        return withTextOrFile(text, terminal, (written) => addRule(client, written));
      }),
    );
  leaf(rules, 'change', 'put another command of the same kind in the place of a rule')
    .argument('<id>', 'its id')
    .argument(...commandArgument)
    .action((id: string, text: string, _: unknown, self: Command) =>
      call(invocation, self, async (client, terminal) => {
        const [{ withTextOrFile }, { changeRule }] = await Promise.all([import('../written-file.ts'), actions()]);
        return withTextOrFile(text, terminal, (written) => changeRule(client, id, written));
      }),
    );
  leaf(rules, 'remove', 'remove rules; what they withheld is sent')
    .argument('[id...]', 'their ids (default: all)')
    .option('--kind <kind>', 'all of this kind')
    .action((ids: string[], query: { readonly kind?: string }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).removeRules(client, ids, query)),
    );
}
