import { Option, type Command } from 'commander';
import type { PublishOptions } from '../action/ctl-content.ts';
import type { Terminal } from '../terminal.ts';
import type { Invocation } from '../program.ts';
import { call, leaf, nodeOption } from './ctl-leaf.ts';

const actions = () => import('../action/ctl-content.ts');
const files = () => import('../written-file.ts');

/** What is served, and the scenario that plays. */
export function addContentCommands(ctl: Command, invocation: Invocation): void {
  addSnapshot(ctl.command('snapshot').summary('what is served').description('What is served.'), invocation);
  addScenario(ctl.command('scenario').summary('the scenario that plays').description('The scenario that plays.'), invocation);
  leaf(ctl, 'dump', "what is served, in the form of Envoy's config_dump")
    .addOption(nodeOption('as this node is served'))
    .action((query: { readonly node?: string }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).dump(client, nodeOf(query))),
    );
}

function nodeOf({ node }: { readonly node?: string }): { readonly node?: string } {
  return node === undefined ? {} : { node };
}

function addSnapshot(snapshot: Command, invocation: Invocation): void {
  leaf(snapshot, 'get', 'what is served: all names, the content of a type, or one resource')
    .argument('[type]', 'CDS, clusters, a type URL')
    .argument('[name]', 'of a resource')
    .addOption(nodeOption('as this node is served (default: as those who have nothing of their own)'))
    .action((type: string | undefined, name: string | undefined, query: { readonly node?: string }, self: Command) =>
      call(invocation, self, async (client) => (await actions()).getSnapshot(client, type, name, nodeOf(query))),
    );
  for (const form of ['put', 'patch'] as const) {
    const what = form === 'put' ? 'replace the types that files hold, all of each' : 'set the resources that files hold; all others stay';
    publishOptions(leaf(snapshot, form, what))
      .argument('<file...>', 'resources as `serve` reads them; `-` is standard input')
      .action((names: string[], options: PublishOptions, self: Command) =>
        call(invocation, self, async (client, terminal) => {
          const { resourceBody } = await import('../resource-body.ts');
          const { patchSnapshot, putSnapshot } = await actions();
          const body = await resourceBody(names, form, terminal);
          const { toldOfFile } = await files();
          return toldOfFile(names[0] ?? '', (form === 'put' ? putSnapshot : patchSnapshot)(client, body, options));
        }),
      );
  }
  publishOptions(leaf(snapshot, 'remove', 'take resources away'))
    .argument('<type>', 'CDS, clusters, a type URL')
    .argument('<name...>', 'of resources')
    .action((type: string, names: string[], options: PublishOptions, self: Command) =>
      call(invocation, self, async (client) => (await actions()).removeResources(client, type, names, options)),
    );
}

function publishOptions(command: Command): Command {
  return command
    .addOption(nodeOption('for these nodes alone; * stands for any characters'))
    .addOption(new Option('--acked <duration>', 'wait so long until it is acknowledged; else exit 1 and say why'));
}

function addScenario(scenario: Command, invocation: Invocation): void {
  leaf(scenario, 'show', 'what plays: steps that fired, that wait, and for what').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).showScenario(client)),
  );
  leaf(scenario, 'list', 'the scenarios that the server knows by name').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).listScenarios(client)),
  );
  for (const word of ['load', 'start'] as const) {
    leaf(scenario, word, word === 'load' ? 'play another scenario, beginning now' : 'the same as load')
      .argument('<scenario>', 'a name that the server knows, or a file, which is sent; `-` is standard input')
      .action((wanted: string, _: unknown, self: Command) =>
        call(invocation, self, async (client, terminal) =>
          withScenario(wanted, terminal, async (one) => (await actions()).loadScenario(client, one)),
        ),
      );
  }
  leaf(scenario, 'explain', 'a scenario in English')
    .argument('<scenario>', 'a name that the server knows, or a file')
    .action((wanted: string, _: unknown, self: Command) =>
      call(invocation, self, async (client, terminal) =>
        withScenario(wanted, terminal, async (one) => (await actions()).explainScenario(client, one)),
      ),
    );
  leaf(scenario, 'stop', 'stop the steps; what is served and in force stays').action((_, self: Command) =>
    call(invocation, self, async (client) => (await actions()).stopScenario(client)),
  );
}

type Wanted = Parameters<Awaited<ReturnType<typeof actions>>['loadScenario']>[1];

async function withScenario<T>(wanted: string, terminal: Terminal, work: (one: Wanted) => Promise<T>): Promise<T> {
  const { asBody, scenarioWanted, toldOfFile } = await files();
  const found = await scenarioWanted(wanted, terminal);
  return typeof found === 'string' ? work(found) : toldOfFile(found.file.name, work(asBody(found.file)));
}
