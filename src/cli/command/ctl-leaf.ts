import { Option, type Command } from 'commander';
import type { Ask, CtlOptions } from '../action/ctl.ts';
import { jsonOption } from '../option.ts';
import type { Invocation } from '../program.ts';

/** A command of `ctl`: one operation of the control API. */
export function leaf(parent: Command, usage: string, summary: string): Command {
  return parent
    .command(usage)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .summary(summary)
    .addOption(jsonOption());
}

/** Talks to the server; `ask` loads what it needs. */
export async function call(invocation: Invocation, self: Command, ask: Ask): Promise<void> {
  const { ctl } = await import('../action/ctl.ts');
  invocation.exitCode = await ctl(invocation.terminal, self.optsWithGlobals<CtlOptions>(), ask);
}

/** `--node`: a pattern. */
export function nodeOption(what = 'only this node id; * stands for any characters'): Option {
  return new Option('--node <id>', what);
}

/** `--variant` of streams. */
export function streamVariantOption(): Option {
  return new Option('--variant <variant>', 'only streams that speak so').choices(['sotw', 'delta']);
}
