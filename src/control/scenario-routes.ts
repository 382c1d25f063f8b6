import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import { explainScenario } from '../script/explain.ts';
import { loadScenario } from '../script/load.ts';
import { findScenario, packagedScenarios } from '../script/packaged.ts';
import type { Scenario } from '../script/scenario.ts';
import { described, form, mapOf, oneOf, text } from '../script/schema-parts.ts';
import { scenarioAnswer } from './answer-forms.ts';
import type { ControlledIstiod } from './face.ts';
import { route, type RouteContext } from './route.ts';
import { scenarioOfBody } from './body-scenario.ts';

const nameParam = { name: described(text, 'The name of a scenario, such as withhold-first-cds') };
const object = mapOf(v.unknown(), 'a scenario, a map');

/** By its name, or whole. */
const wantedForm = oneOf('a map with name, or a scenario', [
  form('the name of a scenario', { name: described(text, 'The name of a scenario of the package') }),
  described(object, 'A whole scenario file, as YAML or JSON: see scenario.schema.json'),
]);

function toldScenario({ scenario, steps, neverFired }: ControlledIstiod) {
  return {
    name: scenario?.name ?? '',
    title: scenario?.title ?? 'nothing plays',
    ...(scenario?.file === undefined ? {} : { file: scenario.file }),
    steps,
    neverFired: neverFired.map(({ step, sentence }) => ({ step, sentence })),
  };
}

/** Names alone: a path of the server's machine is not for callers to open. */
async function scenarioNamed(name: string): Promise<Scenario> {
  if (!/^[\w-]+$/.test(name))
    throw new FakeIstiodError('scenario.not-found', `${JSON.stringify(name)} is no name of a scenario`, {
      remedy: 'GET /scenarios lists them; a scenario of your own is sent whole',
    });
  return loadScenario(await findScenario(name));
}

async function wanted(body: Readonly<Record<string, unknown>>, context: RouteContext): Promise<Scenario> {
  const [key, ...more] = Object.keys(body);
  if (key === 'name' && more.length === 0 && typeof body['name'] === 'string') return scenarioNamed(body['name']);
  return scenarioOfBody(context);
}

export const scenarioRoutes = {
  scenarios: route({
    method: 'GET',
    path: '/scenarios',
    tag: 'Scenarios',
    summary: 'List the scenarios that can be named',
    library: '',
    ctl: ['scenario list'],
    params: {},
    query: {},
    answer: v.strictObject({
      scenarios: v.array(v.strictObject({ name: v.string(), title: v.string(), tags: v.array(v.string()) })),
    }),
    async handle() {
      const all = await packagedScenarios();
      return { scenarios: all.map(({ name, title, tags }) => ({ name, title, tags })) };
    },
  }),
  explainNamed: route({
    method: 'GET',
    path: '/scenarios/{name}',
    tag: 'Scenarios',
    summary: 'Tell a scenario in English',
    library: 'loadScenario(file)',
    ctl: ['scenario explain'],
    params: nameParam,
    query: {},
    answer: v.string(),
    produces: 'text/plain',
    errors: [404],
    handle: async ({ params: { name } }) => explainScenario(await scenarioNamed(name)),
  }),
  explain: route({
    method: 'POST',
    path: '/explain',
    tag: 'Scenarios',
    summary: 'Check a scenario that is sent, and tell it in English',
    library: 'loadScenario(file)',
    ctl: ['scenario explain'],
    params: {},
    query: {},
    body: object,
    answer: v.string(),
    produces: 'text/plain',
    handle: async (_, context) => explainScenario(await scenarioOfBody(context)),
  }),
  scenario: route({
    method: 'GET',
    path: '/scenario',
    tag: 'Scenarios',
    summary: 'Tell what plays: steps that fired, that wait, and for what',
    library: 'istiod.scenario, istiod.steps, istiod.neverFired',
    ctl: ['scenario show'],
    params: {},
    query: {},
    answer: scenarioAnswer,
    handle: (_, { istiod }) => toldScenario(istiod),
  }),
  play: route({
    method: 'PUT',
    path: '/scenario',
    tag: 'Scenarios',
    summary: 'Play another scenario, by its name or sent whole',
    description:
      'What it serves, its rules and its steps take the place of those in force, beginning now; streams stay open. `serve.files` in a scenario that is sent is an error: files of the server are not read.',
    library: 'istiod.play(scenario)',
    ctl: ['scenario load', 'scenario start'],
    params: {},
    query: {},
    body: wantedForm,
    answer: scenarioAnswer,
    errors: [404],
    async handle({ body }, context) {
      await context.istiod.play(await wanted(body, context));
      return toldScenario(context.istiod);
    },
  }),
  stopScenario: route({
    method: 'DELETE',
    path: '/scenario',
    tag: 'Scenarios',
    summary: 'Stop the steps of what plays',
    description: 'Steps that have not fired never will. What is served and in force stays as it is.',
    library: 'istiod.stopScenario()',
    ctl: ['scenario stop'],
    params: {},
    query: {},
    answer: scenarioAnswer,
    handle(_, { istiod }) {
      istiod.stopScenario();
      return toldScenario(istiod);
    },
  }),
};
