import { Option, type Command } from 'commander';
import type { FrameQuery, NodeQuery } from '../action/ctl-look.ts';
import { countOption } from '../option-value.ts';
import type { Invocation } from '../program.ts';
import { call, leaf, nodeOption, streamVariantOption } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-look.ts');

/** What can be looked at. */
export function addLookCommands(ctl: Command, invocation: Invocation): void {
  leaf(ctl, 'state', 'how the server stands').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).state(client)),
  );
  leaf(ctl, 'version', 'who answers').action((_, self: Command) =>
    call(invocation, self, async (client) => (await import('../action/ctl-content.ts')).version(client)),
  );
  connectedOptions(leaf(ctl, 'nodes', 'the nodes that are connected or left not long ago').addOption(nodeOption())).action(
    (query: Flags, self: Command) => call(invocation, self, async (client) => (await actions()).nodes(client, queryOf(query))),
  );
  leaf(ctl, 'node', 'all that is known of a node')
    .argument('<id>', 'its id')
    .action((id: string, _: unknown, self: Command) => call(invocation, self, async (client) => (await actions()).node(client, id)));
  connectedOptions(leaf(ctl, 'subscriptions', 'what nodes subscribe to, and how far each has got').addOption(nodeOption()))
    .option('--type <type>', 'only this type: CDS, clusters, a type URL')
    .action((query: Flags, self: Command) =>
      call(invocation, self, async (client) => (await actions()).subscriptions(client, queryOf(query))),
    );
  addJournal(ctl.command('journal').summary('every request and response').description('Every request and response.'), invocation);
}

interface Flags extends Pick<NodeQuery, 'node' | 'type'> {
  readonly connected?: boolean;
  readonly gone?: boolean;
}

function connectedOptions(command: Command): Command {
  return command
    .addOption(new Option('--connected', 'only nodes that are connected').conflicts('gone'))
    .option('--gone', 'only nodes that have left');
}

function queryOf({ node, type, connected, gone }: Flags): NodeQuery {
  return {
    ...(node === undefined ? {} : { node }),
    ...(type === undefined ? {} : { type }),
    ...(connected || gone ? { connected: connected === true } : {}),
  };
}

function addJournal(journal: Command, invocation: Invocation): void {
  frameOptions(leaf(journal, 'list', 'requests and responses, oldest first'))
    .option('--limit <count>', 'only the newest so many', countOption('--limit'))
    .action((query: FrameQuery & { readonly limit?: number }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).frames(client, filterOf(query))),
    );
  leaf(journal, 'show', 'one request or response, with its message')
    .argument('<seq>', 'its number in the list', countOption('<seq>'))
    .action((seq: number, _: unknown, self: Command) => call(invocation, self, async (client) => (await actions()).frame(client, seq)));
  frameOptions(leaf(journal, 'count', 'how many there are')).action((query: FrameQuery, self: Command) =>
    call(invocation, self, async (client) => (await actions()).countFrames(client, filterOf(query))),
  );
  frameOptions(leaf(journal, 'assert', 'exit 1, and say what there is, unless there are so many'))
    .option('--exactly <count>', 'so many', countOption('--exactly', 0))
    .option('--at-least <count>', 'so many or more', countOption('--at-least', 0))
    .option('--at-most <count>', 'so many or fewer', countOption('--at-most', 0))
    .action((query: FrameQuery & Bounds, self: Command) =>
      call(invocation, self, async (client) => (await actions()).assertFrames(client, filterOf(query), query)),
    );
}

interface Bounds {
  readonly exactly?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

function frameOptions(command: Command): Command {
  return command
    .addOption(new Option('--direction <direction>', 'requests or responses').choices(['in', 'out']))
    .option('--type <type>', 'of this type: CDS, clusters, a type URL')
    .addOption(nodeOption())
    .option('--stream <number>', 'of this stream', countOption('--stream'))
    .addOption(streamVariantOption())
    .addOption(
      new Option('--outcome <outcome>', 'what a request says of our last response').choices([
        'initial',
        'ack',
        'nack',
        'stale',
        'spontaneous',
      ]),
    )
    .addOption(new Option('--cause <cause>', 'why a response was sent').choices(['reply', 'push', 'release', 'warming', 'heartbeat']))
    .option('--version <version>', 'with this version')
    .option('--nonce <nonce>', 'with this nonce')
    .option('--name <name>', 'that name this resource; * stands for any characters')
    .option('--text <text>', 'NACKs that say this')
    .option('--since <seq>', 'after this event', countOption('--since', 0));
}

/** Only what the API knows. */
function filterOf(query: FrameQuery & { readonly limit?: number }): FrameQuery & { readonly limit?: number } {
  const known = [
    'direction',
    'type',
    'node',
    'stream',
    'variant',
    'outcome',
    'cause',
    'version',
    'nonce',
    'name',
    'text',
    'since',
    'limit',
  ];
  return Object.fromEntries(Object.entries(query).filter(([name]) => known.includes(name)));
}
