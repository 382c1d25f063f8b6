import type { Command } from 'commander';
import { FakeIstiodError } from '../../errors.ts';
import type { AckQuery, EventsOptions } from '../action/ctl-events.ts';
import { countOption, repeated } from '../option-value.ts';
import type { Invocation } from '../program.ts';
import { call, leaf, nodeOption } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-events.ts');

/** What has happened and what is awaited. */
export function addEventCommands(ctl: Command, invocation: Invocation): void {
  leaf(ctl, 'events', 'what has happened')
    .option('--follow', 'also what happens from now on, until Ctrl-C; with --json an event a line')
    .option('--event <name>', 'only events of this name, such as response.*; may be repeated', repeated)
    .option('--type <type>', 'only events about this type: CDS, clusters, a type URL')
    .addOption(nodeOption())
    .option('--since <seq>', 'only events after this one', countOption('--since', 0))
    .option('--limit <count>', 'only the newest so many', countOption('--limit'))
    .action(async (_: unknown, self: Command) => {
      const { events } = await actions();
      invocation.exitCode = await events(invocation.terminal, self.optsWithGlobals<EventsOptions>());
    });
  leaf(ctl, 'report', "put events of the proxy's side into the timeline")
    .argument('<events>', "as YAML or JSON, such as '{event: envoy.state-reached, state: LIVE}'; @FILE, or @- for standard input")
    .action((text: string, _: unknown, self: Command) =>
      call(invocation, self, async (client, terminal) => {
        const [{ withTextOrFile }, { report }] = await Promise.all([import('../written-file.ts'), actions()]);
        return withTextOrFile(text, terminal, (written) => report(client, written));
      }),
    );
  addWaits(
    ctl
      .command('wait')
      .summary('wait until something happens, else exit 1 and say why')
      .description('Waits until something happens; else exits 1 and says why.'),
    invocation,
  );
}

interface EventFlags {
  readonly nth?: number;
  readonly since?: number;
  readonly timeout?: string;
}

function addWaits(wait: Command, invocation: Invocation): void {
  leaf(wait, 'event', 'wait for an event, which may have happened already')
    .argument('<event>', 'its name, such as response.acked')
    .argument('[field=value...]', 'what it has to say, such as type=CDS')
    .option('--nth <number>', 'the how manieth (default: 1)', countOption('--nth'))
    .option('--since <seq>', 'only events after this one', countOption('--since', 0))
    .option('--timeout <duration>', 'how long (default: 10s)')
    .action((event: string, fields: string[], { nth, since, timeout }: EventFlags, self: Command) =>
      call(invocation, self, async (client) =>
        (await actions()).awaitEvent(client, {
          event,
          fields: Object.fromEntries(fields.map(fieldOf)),
          ...(nth === undefined ? {} : { nth }),
          ...(since === undefined ? {} : { since }),
          ...(timeout === undefined ? {} : { timeout }),
        }),
      ),
    );
  leaf(wait, 'acked', 'wait until a push is acknowledged')
    .option('--version <version>', 'what a publish answered with (default: the newest push)')
    .addOption(nodeOption('by this node id, * standing for any characters (default: every connected client)'))
    .option('--type <type>', 'enough is this type; may be repeated (default: all that were published)', repeated)
    .option('--timeout <duration>', 'how long (default: 10s)')
    .action(({ version, node, type, timeout }: AckQuery, self: Command) => {
      const query = Object.fromEntries(Object.entries({ version, node, type, timeout }).filter(([, value]) => value !== undefined));
      return call(invocation, self, async (client) => (await actions()).awaitAck(client, query));
    });
}

/** `type=CDS`; numbers and true and false are no texts. */
function fieldOf(text: string): readonly [string, string | number | boolean] {
  const at = text.indexOf('=');
  if (at <= 0)
    throw new FakeIstiodError('usage.invalid', `${JSON.stringify(text)} is no field=value`, {
      remedy: 'Write it as in type=CDS or code=14',
    });
  const value = text.slice(at + 1);
  if (value === 'true' || value === 'false') return [text.slice(0, at), value === 'true'];
  return [text.slice(0, at), /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value];
}
