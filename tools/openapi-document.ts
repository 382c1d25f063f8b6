import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import packageJson from '../package.json' with { type: 'json' };
import {
  eventAnswer,
  nodeAnswer,
  performedAnswer,
  pushAnswer,
  resourceAnswer,
  ruleAnswer,
  scenarioAnswer,
  stateAnswer,
} from '../src/control/answer-forms.ts';
import { problemForm } from '../src/control/problem-form.ts';
import { reportForm } from '../src/control/report-form.ts';
import { tags, type Route } from '../src/control/route.ts';
import { routes } from '../src/control/route-table.ts';
import { commandForm, rulesForm } from '../src/script/schema-command.ts';
import { matcherForm, nodeForm } from '../src/script/schema-parts.ts';
import { tokenForm } from '../src/script/schema-proxy.ts';

type Json = Readonly<Record<string, unknown>>;

/** What has a name of its own in the document. */
const definitions = {
  Command: commandForm,
  Event: eventAnswer,
  Node: nodeAnswer,
  NodeMatcher: nodeForm,
  Performed: performedAnswer,
  Problem: problemForm,
  Push: pushAnswer,
  Report: reportForm,
  Resource: resourceAnswer,
  Rule: ruleAnswer,
  Rules: rulesForm,
  Scenario: scenarioAnswer,
  State: stateAnswer,
  Token: tokenForm,
  Value: matcherForm,
};

const components = new Map<string, Json>();

function schemaOf(schema: v.GenericSchema): Json {
  const {
    $schema: _,
    $defs,
    ...rest
  } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    definitions,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  for (const [name, defined] of Object.entries($defs ?? {})) components.set(name, defined as Json);
  return rest;
}

function unwrapped(schema: v.GenericSchema): { readonly schema: v.GenericSchema; readonly required: boolean } {
  return 'wrapped' in schema ? { schema: schema.wrapped as v.GenericSchema, required: false } : { schema, required: true };
}

function parameters({ params, query }: Route): readonly Json[] {
  const of = (place: 'path' | 'query', entries: v.ObjectEntries): readonly Json[] =>
    Object.entries(entries).map(([name, entry]) => {
      const { schema, required } = unwrapped(entry);
      const { description, ...rest } = schemaOf(schema);
      return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: rest };
    });
  return [...of('path', params), ...of('query', query)];
}

function requestBody(id: string, { body }: Route): Json {
  if (!body) return {};
  const { schema, required } = unwrapped(body);
  const written = schemaOf(schema);
  const name = `${id.slice(0, 1).toUpperCase()}${id.slice(1)}Body`;
  // Twice in the document, so it stands elsewhere once.
  if (written['$ref'] === undefined) components.set(name, written);
  const content = { schema: written['$ref'] === undefined ? { $ref: `#/components/schemas/${name}` } : written };
  return { requestBody: { required, content: { 'application/json': content, 'application/yaml': content } } };
}

function problemResponse(description: string): Json {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } };
}

function responses(route: Route): Json {
  const { answer, produces = 'application/json', errors = [], body, open } = route;
  return {
    200: { description: 'So it is', content: { [produces]: { schema: schemaOf(answer) } } },
    400: problemResponse('The request is wrong; each problem has its place'),
    ...(open ? {} : { 401: problemResponse('The token is missing or another one') }),
    403: problemResponse('A browser sends it for a page of somebody else'),
    ...(errors.includes(404) ? { 404: problemResponse('What is named is not there') } : {}),
    ...(errors.includes(409) ? { 409: problemResponse('What is awaited or asserted is not so') } : {}),
    ...(body ? { 413: problemResponse('The body is too large') } : {}),
    ...(body ? { 415: problemResponse('The body is said to be neither JSON nor YAML') } : {}),
    default: problemResponse('What is there does not agree, or the server is being stopped'),
  };
}

function operation(id: string, route: Route): Json {
  const { tag, summary, description, open } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open ? { security: [] } : {}),
    parameters: parameters(route),
    ...requestBody(id, route),
    responses: responses(route),
  };
}

/** docs/openapi.json, made of the very table by which requests are checked and answered. */
export function openApiText(): string {
  components.clear();
  schemaOf(problemForm);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, route] of Object.entries<Route>(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(id, route) };
  }
  const schemas = Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'fake-istiod control API',
      version: packageJson.version,
      description:
        'All that can be asked of a fake istiod, and moved in it, while it runs. Bodies are JSON or YAML; errors are RFC 9457 problems.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1:15080', description: 'fake-istiod serve --control-port 15080' }],
    security: [{}, { token: [] }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Where the API does not listen on loopback, or was given one' },
      },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}
export { withControlTable } from './control-table.ts';
