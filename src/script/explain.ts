import { istiodQuirks, specQuirks } from '../protocol/quirks.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Layer } from './command.ts';
import { durationText } from './duration.ts';
import { commandSentence, meshText, rulesText, servedText } from './explain-command.ts';
import { expectationSentence } from './explain-expectation.ts';
import { identitySentence } from './explain-identity.ts';
import { proxyIdentityTexts } from './explain-proxy.ts';
import { listed, nodeText, nthPattern } from './explain-pattern.ts';
import type { BootstrapWish, NodeWish, Scenario, ScenarioEnvoy, ServerScript, Step } from './scenario.ts';
import type { Trigger } from './trigger.ts';

export { commandSentence } from './explain-command.ts';
export { expectationSentence } from './explain-expectation.ts';

/** `the first CDS request arrives`, to stand after "when". */
export function triggerSentence(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'event':
      return nthPattern(trigger.pattern, trigger.nth);
    case 'elapsed':
      return `${durationText(trigger.afterMs)} have passed since ${trigger.since === 'start' ? 'the start' : trigger.since}`;
    case 'all':
      return listed(trigger.of.map(nested));
    case 'any':
      return `${trigger.of.length > 1 ? 'either ' : ''}${listed(trigger.of.map(nested), 'or')}`;
  }
}

/** A part of `all` or `any` that has parts itself stands in parentheses. */
function nested(trigger: Trigger): string {
  return 'of' in trigger && trigger.of.length > 1 ? `(${triggerSentence(trigger)})` : triggerSentence(trigger);
}

/** `When the first CDS request arrives, release CDS.` */
export function stepSentence({ name, when, commands, variant }: Step): string {
  const doing = commands.length > 0 ? listed(commands.map(commandSentence)) : `that is the moment ${name}`;
  return `When ${triggerSentence(when)}, ${doing}${variant ? ` (only with ${variant})` : ''}.`;
}

/** A whole scenario in English, several lines, ending with a line break. */
export function explainScenario(scenario: Scenario): string {
  const { name, title, about, istiods, steps, expectations, mutation } = scenario;
  const blocks = [
    `${name}: ${title}`,
    ...(about ? [wrapped(about)] : []),
    settingLines(scenario)
      .map((line) => brokenLines(line, '  '))
      .join('\n'),
    ...(istiods ? istiods.flatMap(({ name: owner, steps: own }) => stepBlock(own, `Steps of ${owner}`)) : stepBlock(steps, 'Steps')),
    ...(expectations.length > 0 ? [`Expected\n${numbered(expectations.map(expectationSentence))}`] : []),
    ...(mutation ? [wrapped(`Must fail if ${mutation.what}.`)] : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function stepBlock(steps: readonly Step[], title: string): string[] {
  if (steps.length === 0) return [];
  return [`${title}\n${numbered(steps.map((step) => `${step.name}: ${stepSentence(step)}${step.optional ? ' (optional)' : ''}`))}`];
}

function settingLines(scenario: Scenario): string[] {
  const { istiods, envoys, envoy, timeoutMs } = scenario;
  return [
    ...(istiods ? istiods.flatMap((one) => serverLines(one).map((line) => `istiod ${one.name}: ${line}`)) : serverLines(scenario)),
    ...(envoys ? envoys.map(envoyLine) : [bootstrapLine(scenario.bootstrap, ownName(scenario.bootstrap))]),
    ...(envoy.args.length > 0 ? [`Envoy's further arguments: ${envoy.args.join(' ')}.`] : []),
    `Runs with ${listed(envoy.variants)}, ${durationText(timeoutMs)} at most.`,
  ];
}

function envoyLine({ name, nodeId, bootstrap, args }: ScenarioEnvoy): string {
  const words = [...nodeWords({ ...bootstrap.node, id: nodeId }), ...(args.length > 0 ? [`arguments ${args.join(' ')}`] : [])];
  return bootstrapLine(bootstrap, `Envoy ${name} (${words.join(', ')})`);
}

/** What of a node decides what istiod serves it. */
function nodeWords({ id, clusterId, network, locality }: NodeWish): string[] {
  const place = [locality?.region, locality?.zone, locality?.subZone].filter(Boolean).join('/');
  return [
    ...(id === undefined ? [] : [`node ${id}`]),
    ...(clusterId === undefined ? [] : [`CLUSTER_ID ${clusterId}`]),
    ...(network === undefined ? [] : [`network ${network}`]),
    ...(place === '' ? [] : [`locality ${place}`]),
  ];
}

function serverLines({ layers, withhold, istiod, identity = [] }: ServerScript): string[] {
  const { state, ready, quirks } = istiod;
  const quirk = (Object.keys(quirks) as (keyof typeof quirks)[]).filter((key) => quirks[key] !== istiodQuirks[key]);
  const isSpec = quirk.length > 0 && (Object.keys(quirks) as (keyof typeof quirks)[]).every((key) => quirks[key] === specQuirks[key]);
  return [
    ...layers.map(layerLine),
    ...(withhold.length > 0 ? [`Withheld from the start: ${rulesText(withhold)}.`] : []),
    ...(state === 'down'
      ? ['Nothing listens at first.']
      : state === 'silent'
        ? ['At first the port accepts connections and never answers.']
        : []),
    ...(identity.length > 0 ? [`From the start: ${listed(identity.map(identitySentence))}.`] : []),
    ...(ready ? [] : ['istiod is not ready at first and refuses streams.']),
    ...(isSpec
      ? ['xDS is spoken as the specification says, not as istiod does.']
      : quirk.length > 0
        ? [`Other than istiod: ${quirk.map((key) => `${key} ${quirks[key]}`).join(', ')}.`]
        : []),
  ];
}

function layerLine({ node, resources, types, content = [] }: Layer): string {
  const made = content.map((each) =>
    each.kind === 'services'
      ? `what a proxy gets of ${meshText(each.mesh)}`
      : `${listed(each.types.map((typeUrl) => resourceType(typeUrl).short))} with the node's own words in it`,
  );
  const plain = resources.length > 0 || made.length === 0 ? servedText(resources, types) : '';
  const what = listed([...(plain === '' ? [] : [plain]), ...made]) || 'nothing';
  return node ? `Served to nodes ${nodeText(node)}: ${what}.` : `Served: ${what}.`;
}

function ownName({ node = {} }: BootstrapWish): string {
  const words = nodeWords(node);
  return words.length > 0 ? `Envoy (${words.join(', ')})` : 'Envoy';
}

function bootstrapLine({ fetchTimeoutMs = 0, adsCluster, istiods, merge, node: _, ...identity }: BootstrapWish, who: string): string {
  const wait =
    fetchTimeoutMs === 0
      ? 'waits for CDS and LDS for ever'
      : `gives up waiting for CDS and for LDS after ${durationText(fetchTimeoutMs)} each`;
  const rest = [
    ...proxyIdentityTexts(identity),
    ...(istiods ? [`asks ${istiods.join(', then ')}`] : []),
    ...(adsCluster === undefined ? [] : [`its ads_config names the cluster ${adsCluster}`]),
    ...(merge ? [`its bootstrap differs in ${listed(Object.keys(merge))}`] : []),
  ];
  return `${who} ${listed([wait, ...rest])}.`;
}

const lineWidth = 100;

/** Paragraphs of `text` broken at 100 columns. */
function wrapped(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => brokenLines(paragraph, ''))
    .join('\n\n');
}

function numbered(sentences: readonly string[]): string {
  return sentences.map((sentence, i) => `${String(i + 1).padStart(3)}. ${brokenLines(sentence, '     ')}`).join('\n');
}

function brokenLines(text: string, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line && line.length + word.length + 1 + indent.length > lineWidth) {
      lines.push(line);
      line = '';
    }
    line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].join(`\n${indent}`);
}
