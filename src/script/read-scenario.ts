import { basename } from 'node:path';
import type { Quirks } from '../protocol/quirks.ts';
import { istiodQuirks, specQuirks } from '../protocol/quirks.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import type { NodeMatcher } from '../protocol/node.ts';
import type { NodeContent } from '../services/node-content.ts';
import type { IdentityCommand, Layer } from './command.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import { pointerProblem } from './json-pointer.ts';
import { readCommands, readRules, type CommandReading } from './read-command.ts';
import { readExpectation } from './read-expectation.ts';
import { identityKeys, readIdentity, readProxyIdentity } from './read-identity.ts';
import { readServe, type Reading, type TemplateKeeper } from './read-serve.ts';
import { readMesh } from './read-services.ts';
import { readTrigger } from './read-trigger.ts';
import type { BootstrapWish, Scenario, Step } from './scenario.ts';
import type { BootstrapForm, ScenarioForm, StepForm } from './schema.ts';
import type { ServeForm } from './schema-serve.ts';

const defaultTimeoutMs = 30_000;

/** A scenario form, whose shape is right, as the domain has it. Whatever else is wrong goes to the findings. */
export function readScenario(written: ScenarioForm, document: unknown, reading: Reading): Scenario {
  const { findings } = reading;
  const layers = readLayers(written, reading);
  const steps = readSteps(written.steps ?? [], {
    ...reading,
    layers: (written.nodes ?? []).map(({ name }) => name),
    tokenFile: written.bootstrap?.token_file !== undefined,
    mesh: written.mesh,
  });
  const timeoutMs = durationMs(written.timeout ?? '') ?? defaultTimeoutMs;
  if (timeoutMs === 0) findings.report(['timeout'], 'a run needs some time', 'Leave timeout out, or write it like 30s');
  const expectations = (written.expect ?? []).map((expectation, i) => readExpectation(expectation, i, timeoutMs, findings));
  findings.checkMoments(['start', ...momentsOf(steps)]);
  for (const pointer of Object.keys(written.mutation?.replace ?? {})) {
    const problem = pointerProblem(document, pointer, written.mutation?.replace[pointer]);
    if (problem) findings.report(['mutation', 'replace', pointer], problem, undefined, 'key');
  }
  return {
    name: basename(reading.file).replace(/\.(ya?ml|json)$/i, ''),
    title: written.title.trim(),
    about: (written.about ?? '').trim(),
    tags: written.tags ?? [],
    file: reading.file,
    ...(reading.alsoRead && reading.alsoRead.size > 0 ? { alsoRead: [...reading.alsoRead] } : {}),
    layers,
    withhold: written.withhold === undefined ? [] : readRules(written.withhold, ['withhold'], findings),
    istiod: { state: written.istiod?.state ?? 'up', ready: written.istiod?.ready ?? true, quirks: readQuirks(written.istiod?.quirks) },
    ...identityOf(written, findings),
    bootstrap: readBootstrap(written.bootstrap ?? {}, findings),
    envoy: { args: written.envoy?.args ?? [], variants: written.envoy?.variants ?? ['sotw', 'delta'] },
    steps,
    expectations,
    timeoutMs,
    ...(written.mutation ? { mutation: written.mutation } : {}),
  };
}

/** What is served, as a layer; `content` is what else is made for each node. */
function readLayer(serve: ServeForm, path: DocumentPath, reading: Reading, content: readonly NodeContent[], node?: NodeMatcher): Layer {
  const templates: TemplateKeeper = [];
  const served = readServe(serve, path, reading, templates);
  const template: NodeContent = {
    kind: 'template',
    types: [...new Set(templates.flatMap(({ types }) => types))],
    documents: templates.map(({ document }) => document),
  };
  const made = [...content, ...(templates.length > 0 ? [template] : [])];
  return {
    ...(node ? { node } : {}),
    resources: [...served.values()].flat(),
    types: [...served.keys()],
    ...(made.length > 0 ? { content: made } : {}),
  };
}

/** The base first, then an entry of `nodes` each. */
function readLayers(written: ScenarioForm, reading: Reading): readonly Layer[] {
  const { serve = {}, nodes = [], services } = written;
  const names = nodes.map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < i)
      reading.findings.report(['nodes', i, 'name'], `two entries have the name ${JSON.stringify(name)}`, 'Rename one');
  }
  const mesh: readonly NodeContent[] =
    services || written.mesh ? [{ kind: 'services', mesh: readMesh(services ?? [], written.mesh, ['services'], reading.findings) }] : [];
  const base = readLayer(serve, ['serve'], reading, mesh);
  return [base, ...nodes.map(({ match, serve: own }, i) => readLayer(own, ['nodes', i, 'serve'], reading, [], match as NodeMatcher))];
}

function readQuirks(written: NonNullable<ScenarioForm['istiod']>['quirks']): Quirks {
  if (written === 'spec') return specQuirks;
  return typeof written === 'object' ? ({ ...istiodQuirks, ...written } as Quirks) : istiodQuirks;
}

function identityOf(written: ScenarioForm, findings: Findings): { readonly identity?: readonly IdentityCommand[] } {
  const given = identityKeys.filter((key) => written[key] !== undefined);
  const identity = given.flatMap((key) => readIdentity(key, written[key] as never, [key], findings));
  return identity.length > 0 ? { identity } : {};
}

function readBootstrap(written: BootstrapForm, findings: Findings): BootstrapWish {
  const { fetch_timeout, ads_cluster, merge } = written;
  return {
    ...readProxyIdentity(written, ['bootstrap'], findings),
    ...(fetch_timeout === undefined ? {} : { fetchTimeoutMs: durationMs(fetch_timeout) ?? 0 }),
    ...(ads_cluster === undefined ? {} : { adsCluster: ads_cluster }),
    ...(merge === undefined ? {} : { merge }),
  };
}

function readSteps(written: readonly StepForm[], reading: CommandReading): readonly Step[] {
  const steps = written.map((step, i) => readStep(step, i, reading));
  for (const [i, { name }] of steps.entries()) {
    const path = ['steps', i, ...(written[i]?.name === undefined ? [] : ['name'])];
    const first = steps.findIndex((step) => step.name === name);
    if (first < i) reading.findings.report(path, `two steps have the name ${JSON.stringify(name)}`, 'Rename one: a name is a moment');
    if (name === 'start') reading.findings.report(path, 'start is the moment at which a run begins', 'Give the step another name');
  }
  return steps;
}

function readStep(written: StepForm, index: number, reading: CommandReading): Step {
  const path = ['steps', index];
  const commands = written.do === undefined ? [] : Array.isArray(written.do) ? written.do : [written.do];
  if (written.do === undefined && written.name === undefined)
    reading.findings.report(path, 'the step does nothing and has no name to be referred to', 'Write do, or name');
  return {
    name: written.name ?? `step ${index + 1}`,
    when: readTrigger(written.when, [...path, 'when'], reading.findings),
    commands: commands.flatMap((command, i) =>
      readCommands(command, Array.isArray(written.do) ? [...path, 'do', i] : [...path, 'do'], reading),
    ),
    optional: written.optional ?? false,
    ...(written.variant ? { variant: written.variant } : {}),
    at: reading.findings.at(path),
  };
}

function momentsOf(steps: readonly Step[]): string[] {
  return steps.flatMap(({ name, commands }) => [name, ...commands.flatMap((command) => (command.kind === 'mark' ? [command.moment] : []))]);
}
