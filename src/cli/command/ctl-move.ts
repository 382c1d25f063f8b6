import { Option, type Command } from 'commander';
import type { Streams } from '../action/ctl-move.ts';
import { countOption } from '../option-value.ts';
import type { Invocation } from '../program.ts';
import { call, leaf, nodeOption, streamVariantOption } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-move.ts');
const typeArgument = ['<type>', 'CDS, clusters, a type URL'] as const;

interface Refusal extends Streams {
  readonly code?: string;
  readonly message?: string;
}

/** What makes the server misbehave, and what ends that. */
export function addMoveCommands(ctl: Command, invocation: Invocation): void {
  addWithholding(ctl, invocation);
  addFaults(ctl, invocation);
  addStreams(ctl, invocation);
  leaf(ctl, 'perform', 'carry out commands in the words of a scenario')
    .argument('<commands>', "as YAML or JSON, such as '{withhold: CDS}'; @FILE, or @- for standard input")
    .action((text: string, _: unknown, self: Command) =>
      call(invocation, self, async (client, terminal) => {
        const [{ withTextOrFile }, { perform }] = await Promise.all([import('../written-file.ts'), actions()]);
        return withTextOrFile(text, terminal, (written) => perform(client, written));
      }),
    );
  leaf(ctl, 'mark', 'mark a moment that steps and waits can refer to')
    .argument('<moment>', 'its name')
    .action((mark: string, _: unknown, self: Command) =>
      call(invocation, self, async (client) => (await actions()).perform(client, { mark })),
    );
  leaf(ctl, 'reset', 'everything as it was when the scenario began; streams stay').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).reset(client)),
  );
  leaf(ctl, 'server', 'let the xDS server be up, down or silent, ready or not')
    .argument('[state]', 'up, down (nothing listens) or silent (ports accept and never answer)')
    .addOption(new Option('--ready', 'let istiod be ready').conflicts('notReady'))
    .option('--not-ready', 'refuse new streams, as istiod does before its caches are full')
    .action((server: 'up' | 'down' | 'silent' | undefined, { ready, notReady }: { ready?: boolean; notReady?: boolean }, self: Command) =>
      call(invocation, self, async (client) =>
        (await actions()).server(client, {
          ...(server === undefined ? {} : { server }),
          ...(ready || notReady ? { ready: ready === true } : {}),
        }),
      ),
    );
}

function addWithholding(ctl: Command, invocation: Invocation): void {
  for (const word of ['withhold', 'release'] as const) {
    leaf(ctl, word, word === 'withhold' ? 'withhold owed responses until they are released' : 'send what is withheld, computed anew')
      .argument('<type...>', 'CDS, clusters, a type URL')
      .option('--names <name...>', 'only these resources')
      .addOption(nodeOption())
      .action((types: string[], options: { readonly names?: readonly string[]; readonly node?: string }, self: Command) =>
        call(invocation, self, async (client) => {
          const { names, node } = options;
          const narrowed = { ...(names ? { names } : {}), ...(node === undefined ? {} : { node }) };
          return (await actions()).withholding(client, word, types, narrowed);
        }),
      );
  }
}

function addFaults(ctl: Command, invocation: Invocation): void {
  leaf(ctl, 'delay', 'let responses of a type leave later')
    .argument(...typeArgument)
    .argument('<duration>', 'such as 2s; 0s ends it')
    .addOption(nodeOption())
    .addOption(streamVariantOption())
    .action((type: string, by: string, streams: Streams, self: Command) =>
      call(invocation, self, async (client) => {
        const { perform, streamWords } = await actions();
        return perform(client, { delay: { type, by, ...streamWords(streams) } });
      }),
    );
  leaf(ctl, 'drop', 'count the next responses of a type as sent, but never send them')
    .argument(...typeArgument)
    .option('--times <count>', 'so many (default: 1)', countOption('--times'))
    .addOption(nodeOption())
    .addOption(streamVariantOption())
    .action((type: string, { times, ...streams }: Streams & { readonly times?: number }, self: Command) =>
      call(invocation, self, async (client) => {
        const { perform, streamWords } = await actions();
        return perform(client, { drop: { type, ...(times === undefined ? {} : { times }), ...streamWords(streams) } });
      }),
    );
}

function addStreams(ctl: Command, invocation: Invocation): void {
  statusOptions(leaf(ctl, 'close', 'end open streams with a gRPC status'))
    .option('--stream <number>', 'only this stream', countOption('--stream'))
    .action((query: Refusal & { readonly stream?: number }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).close(client, query)),
    );
  statusOptions(leaf(ctl, 'refuse', 'end new streams at once with a gRPC status'))
    .option('--times <count>', 'only the next so many (default: all until accept)', countOption('--times'))
    .action(({ code, message, times, ...streams }: Refusal & { readonly times?: number }, self: Command) =>
      call(invocation, self, async (client) => {
        const { perform, streamWords } = await actions();
        const status = { ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
        return perform(client, { refuse: { ...status, ...(times === undefined ? {} : { times }), ...streamWords(streams) } });
      }),
    );
  leaf(ctl, 'accept', 'accept streams again').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).perform(client, { accept: 'streams' })),
  );
}

function statusOptions(command: Command): Command {
  return command
    .option('--code <name>', 'a gRPC status code (default: UNAVAILABLE)')
    .option('--message <text>', 'the status text, as the client will log it')
    .addOption(nodeOption())
    .addOption(streamVariantOption());
}
