import * as v from 'valibot';
import { commandsForm, rulesForm } from './schema-command.ts';
import { bootstrapForm, envoyEntryForm } from './schema-envoys.ts';
import { expectationForm } from './schema-expectation.ts';
import { identityEntries } from './schema-identity.ts';
import { described, durationForm, flag, form, listOf, mapOf, nodeForm, oneOf, text, variantForm, wordOf } from './schema-parts.ts';
import { serveForm } from './schema-serve.ts';
import { meshForm, servicesForm } from './schema-services.ts';
import { triggerForm } from './schema-trigger.ts';

const quirksForm = oneOf('istiod, spec, or a map of quirks', [
  wordOf(['istiod', 'spec']),
  form('quirks', {
    'stale-subscription': v.optional(described(wordOf(['ignore', 'honour']), 'Delta: a subscription change with an old nonce')),
    'nack-subscription': v.optional(described(wordOf(['ignore', 'honour']), 'A subscription change that comes with a NACK')),
    'resource-version': v.optional(described(wordOf(['empty', 'content']), 'Delta: the version of each resource')),
    'unknown-endpoints': v.optional(
      described(wordOf(['empty', 'silent']), 'EDS for a cluster that is not served: an empty assignment, or no word'),
    ),
    'missing-name': v.optional(described(wordOf(['silent', 'removed']), 'Delta: a name asked for that is not served')),
    'unknown-type': v.optional(described(wordOf(['empty', 'ignore', 'close']), 'A type outside the table of which nothing is served')),
    'node-id': v.optional(described(wordOf(['any', 'four-parts']), 'Whether a node id must be type~ip~name~domain')),
    'ca-on-plaintext': v.optional(described(wordOf(['serve', 'refuse']), 'Whether the CA is there for callers without TLS')),
    'debug-identity': v.optional(
      described(wordOf(['required', 'any']), 'Whether who asks for istio.io/debug has to have proved an identity'),
    ),
    'plain-proxies': v.optional(described(wordOf(['listed', 'hidden']), 'Proxies without PROXY_CONFIG in what istioctl is told')),
  }),
]);

const istiodForm = form('istiod', {
  state: v.optional(
    described(wordOf(['up', 'down', 'silent']), 'down: nothing listens at first; silent: the port accepts and never answers'),
  ),
  ready: v.optional(described(flag, 'false: streams are refused as istiod does before its caches are full')),
  quirks: v.optional(described(quirksForm, 'Where istiod and the specification differ: istiod (default), spec, or one by one')),
});

const nodesForm = form('an entry of nodes', {
  name: v.optional(described(text, 'A name by which publish, set and remove can mean this entry')),
  match: described(nodeForm, 'Which nodes'),
  serve: described(serveForm, 'What they are served; types given here replace those of serve'),
});

const object = mapOf(v.unknown(), 'a map');

const envoyForm = form('envoy', {
  args: v.optional(described(listOf(text, 'arguments'), "More arguments for Envoy's command line")),
  variants: v.optional(described(listOf(variantForm, 'variants'), 'Runs only with these; default both')),
});

/** A step as written. */
export const stepForm = form('a step', {
  name: v.optional(described(text, 'Also the moment at which it fired; default step N')),
  when: described(triggerForm, 'When it is due; several keys are all of them'),
  do: v.optional(described(commandsForm, 'What the server then does, in this order; left out: the step only marks its moment')),
  optional: v.optional(described(flag, 'A step that never fires fails the run unless this is true')),
  variant: v.optional(described(variantForm, 'Only in runs of this variant')),
});
export type StepForm = v.InferOutput<typeof stepForm>;

const mutationForm = form('a mutation', {
  what: described(text, 'What is broken, in English'),
  replace: described(object, 'JSON pointers into this file and their new values; null takes the place away'),
});

/** What a server is told from the start. */
const serverEntries = {
  istiod: v.optional(described(istiodForm, "The server's first state")),
  serve: v.optional(described(serveForm, "What is served, in Envoy's YAML form")),
  services: v.optional(
    described(servicesForm, "Services, from which CDS, EDS, LDS and RDS are made in istiod's naming, for each proxy its own"),
  ),
  mesh: v.optional(described(meshForm, 'The mesh around the services: ports, networks and their gateways')),
  nodes: v.optional(
    described(listOf(nodesForm, 'entries with match and serve'), 'What particular nodes are served instead; a later entry wins'),
  ),
  withhold: v.optional(described(rulesForm, 'What is withheld from the start')),
  ...identityEntries,
};

const istiodEntryForm = form('an entry of istiods', {
  name: described(text, 'By which expectations mean it: letters, digits and dashes'),
  ...serverEntries,
  steps: v.optional(
    described(listOf(stepForm, 'steps'), 'What it does when. It sees what happens to itself and to Envoy, and every moment'),
  ),
});
export type IstiodEntryForm = v.InferOutput<typeof istiodEntryForm>;

/** A scenario file as written. */
export const scenarioForm = form('a scenario', {
  title: described(text, 'One line: what happens'),
  about: v.optional(described(text, 'Why anyone would want to see it')),
  tags: v.optional(described(listOf(text, 'words'), 'Words to find it by')),
  ...serverEntries,
  istiods: v.optional(
    described(
      listOf(istiodEntryForm, 'entries with a name each'),
      'Several istiods, each with its own script; what an entry does not say is as above. The first one is asked first',
    ),
  ),
  bootstrap: v.optional(described(bootstrapForm, "How Envoy's bootstrap differs from the plain one")),
  envoy: v.optional(described(envoyForm, 'How Envoy is run')),
  envoys: v.optional(
    described(
      listOf(envoyEntryForm, 'entries with a name each'),
      'Several Envoys in one run; each has the keys of bootstrap, laid over those above. Default: one, without a name',
    ),
  ),
  steps: v.optional(described(listOf(stepForm, 'steps'), 'What happens when; steps do not wait for each other')),
  expect: v.optional(described(listOf(expectationForm, 'expectations'), 'What must be seen, on both sides')),
  timeout: v.optional(described(durationForm, 'The bound of a run; default 30s')),
  mutation: v.optional(described(mutationForm, 'A change that must make the run fail: the proof that the expectations can tell')),
});
export type ScenarioForm = v.InferOutput<typeof scenarioForm>;
