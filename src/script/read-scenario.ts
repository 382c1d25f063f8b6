import { basename } from 'node:path';
import type { DocumentPath } from '../protobuf/document.ts';
import { durationMs } from './duration.ts';
import { pointerProblem } from './json-pointer.ts';
import { readExpectations } from './read-expectation.ts';
import { checkNames, readBootstrap, readEnvoys } from './read-proxies.ts';
import type { Reading } from './read-serve.ts';
import { readServer, type PlaceOf, type ServerForm } from './read-server.ts';
import { checkStepNames, momentsOf, readSteps, type StepsPlace } from './read-steps.ts';
import type { Scenario, ScenarioIstiod, ServerScript } from './scenario.ts';
import type { IstiodEntryForm, ScenarioForm, StepForm } from './schema.ts';

const defaultTimeoutMs = 30_000;

/** A scenario form, whose shape is right, as the domain has it. Whatever else is wrong goes to the findings. */
export function readScenario(written: ScenarioForm, document: unknown, reading: Reading): Scenario {
  const { findings } = reading;
  const { envoys, istiods: istiodEntries } = written;
  findings.istiods = (istiodEntries ?? []).map(({ name }) => name);
  const bootstrap = readBootstrap(written.bootstrap ?? {}, ['bootstrap'], findings);
  const proxies = envoys && readEnvoys(envoys, bootstrap, findings);
  findings.envoys = new Map(proxies?.map(({ name, nodeId }) => [name, nodeId]));
  const istiods = istiodEntries && readIstiods(istiodEntries, written, reading);
  const server = istiods?.[0] ?? wholeServer(written, written.steps ?? [], placeBelow([]), { path: ['steps'] }, written, reading);
  const steps = (istiods ?? [server]).flatMap((one) => one.steps);
  checkStepNames(steps, stepPlaces(written), findings);
  const timeoutMs = durationMs(written.timeout ?? '') ?? defaultTimeoutMs;
  if (timeoutMs === 0) findings.report(['timeout'], 'a run needs some time', 'Leave timeout out, or write it like 30s');
  const expectations = readExpectations(written.expect ?? [], timeoutMs, findings);
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
    ...serverScript(server),
    bootstrap,
    ...(proxies ? { envoys: proxies } : {}),
    ...(istiods ? { istiods } : {}),
    envoy: { args: written.envoy?.args ?? [], variants: written.envoy?.variants ?? ['sotw', 'delta'] },
    expectations,
    timeoutMs,
    ...(written.mutation ? { mutation: written.mutation } : {}),
  };
}

/** Without what only an entry of `istiods` has. */
function serverScript({ layers, withhold, istiod, identity, steps }: ServerScript): ServerScript {
  return { layers, withhold, istiod, ...(identity ? { identity } : {}), steps };
}

function placeBelow(path: DocumentPath): PlaceOf {
  return (key) => [...path, key];
}

function wholeServer(
  server: ServerForm,
  steps: readonly StepForm[],
  place: PlaceOf,
  stepsPlace: StepsPlace,
  { bootstrap, envoys = [] }: ScenarioForm,
  reading: Reading,
): ServerScript {
  return {
    ...readServer(server, place, reading),
    steps: readSteps(steps, stepsPlace, {
      ...reading,
      layers: (server.nodes ?? []).map(({ name }) => name),
      tokenFile: [bootstrap, ...envoys].some((one) => one?.token_file !== undefined),
      mesh: server.mesh,
    }),
  };
}

/** Several istiods; what an entry does not say is as the scenario says. */
function readIstiods(entries: readonly IstiodEntryForm[], written: ScenarioForm, reading: Reading): readonly ScenarioIstiod[] {
  const { findings } = reading;
  const path: DocumentPath = ['istiods'];
  if (entries.length === 0) findings.report(path, 'a run without an istiod', 'Write one entry at least, or leave istiods out');
  checkNames(findings.istiods, path, 'istiods', findings);
  if (written.steps && written.steps.length > 0)
    findings.report(['steps'], 'with several istiods it is not said whose steps these are', 'Put them into an entry of istiods', 'key');
  return entries.map(({ name, steps = [], ...own }, i) => {
    const place: PlaceOf = (key) => (own[key] === undefined ? [key] : [...path, i, key]);
    const stepsPlace = { path: [...path, i, 'steps'], owner: name };
    return { name, ...wholeServer({ ...written, ...own }, steps, place, stepsPlace, written, reading) };
  });
}

/** Where each step stands, those of the first istiod first. */
function stepPlaces({ istiods, steps = [] }: ScenarioForm): readonly DocumentPath[] {
  const lists = istiods
    ? istiods.map((entry, i) => ({ list: entry.steps ?? [], path: ['istiods', i, 'steps'] }))
    : [{ list: steps, path: ['steps'] }];
  return lists.flatMap(({ list, path }) => list.map(({ name }, i): DocumentPath => [...path, i, ...(name === undefined ? [] : ['name'])]));
}
