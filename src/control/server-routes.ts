import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { packageRoot } from '../protobuf/package-root.ts';
import type { Command } from '../script/command.ts';
import { described, flag, form, wordOf } from '../script/schema-parts.ts';
import type { Rule } from '../session/rule.ts';
import { stateAnswer } from './answer-forms.ts';
import type { ControlledIstiod } from './face.ts';
import { page } from './page.ts';
import { route } from './route.ts';

const serverStates = ['up', 'down', 'silent'] as const;
type ServerState = (typeof serverStates)[number];

const commandTo: Readonly<Record<ServerState, Command>> = {
  up: { kind: 'start-server' },
  down: { kind: 'stop-server' },
  silent: { kind: 'silence-server' },
};

/** Both stand among the rules while they are not as with a plain istiod. */
function serverOf(rules: readonly Rule[]): { readonly server: ServerState; readonly ready: boolean } {
  const kinds = rules.map(({ command }) => command.kind);
  const server = kinds.includes('stop-server') ? 'down' : kinds.includes('silence-server') ? 'silent' : 'up';
  return { server, ready: !rules.some(({ command }) => command.kind === 'set-ready' && !command.ready) };
}

function stateOf(istiod: ControlledIstiod) {
  const { rules, nodes, timeline, scenario, plaintextPort, neverFired } = istiod;
  const connected = nodes.filter((node) => node.connected);
  return {
    ...serverOf(rules),
    xdsAddress: `${istiod.host.includes(':') ? `[${istiod.host}]` : istiod.host}:${istiod.port}`,
    ...(plaintextPort === undefined ? {} : { plaintextPort }),
    ...(scenario ? { scenario: scenario.name } : {}),
    nodes: connected.length,
    streams: connected.reduce((sum, { streams }) => sum + streams.length, 0),
    version: istiod.snapshot().version,
    rules: rules.map(({ id }) => id),
    neverFired: neverFired.map(({ step, sentence }) => ({ step, sentence })),
    nowMs: timeline.nowMs,
    newestSeq: timeline.last(1)[0]?.seq ?? 0,
  };
}

function packageText(file: string): string {
  return readFileSync(join(packageRoot(), file), 'utf8');
}

export const serverRoutes = {
  page: route({
    method: 'GET',
    path: '/',
    tag: 'Server',
    summary: 'List all operations, for people',
    library: '',
    ctl: [],
    params: {},
    query: {},
    answer: v.string(),
    produces: 'text/html',
    open: true,
    handle: (_, { routes }) => page(routes),
  }),
  openapi: route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'Server',
    summary: 'Tell all operations as OpenAPI 3.1',
    library: '',
    ctl: [],
    params: {},
    query: {},
    answer: v.looseObject({ openapi: v.string() }),
    open: true,
    handle: () => new Response(packageText('docs/openapi.json'), { headers: { 'content-type': 'application/json' } }),
  }),
  health: route({
    method: 'GET',
    path: '/health',
    tag: 'Server',
    summary: 'Tell that the process is alive, whatever its xDS side plays',
    library: '',
    ctl: [],
    params: {},
    query: {},
    answer: v.strictObject({ status: v.literal('ok') }),
    open: true,
    handle: () => ({ status: 'ok' as const }),
  }),
  version: route({
    method: 'GET',
    path: '/version',
    tag: 'Server',
    summary: 'Tell who answers',
    library: '',
    ctl: ['version'],
    params: {},
    query: {},
    answer: v.strictObject({ name: v.string(), version: v.string(), node: described(v.string(), 'The version of Node.js') }),
    handle() {
      const { name, version } = JSON.parse(packageText('package.json')) as { readonly name: string; readonly version: string };
      return { name, version, node: process.versions.node };
    },
  }),
  state: route({
    method: 'GET',
    path: '/state',
    tag: 'Server',
    summary: 'Tell how the server stands',
    library: 'istiod.rules, istiod.nodes, istiod.timeline',
    ctl: ['state'],
    params: {},
    query: {},
    answer: stateAnswer,
    handle: (_, { istiod }) => stateOf(istiod),
  }),
  server: route({
    method: 'PUT',
    path: '/server',
    tag: 'Server',
    summary: 'Let the xDS server be up, down or silent, ready or not',
    description: 'down: nothing listens and every connection is cut. silent: ports accept and never say a byte. The control API stays.',
    library: "istiod.perform({ kind: 'stop-server' })",
    ctl: ['server'],
    params: {},
    query: {},
    body: form('the server', {
      server: v.optional(described(wordOf(serverStates), 'up, down or silent')),
      ready: v.optional(described(flag, 'false refuses new streams, as istiod does before its caches are full')),
    }),
    answer: stateAnswer,
    handle({ body: { server, ready } }, { istiod }) {
      if (server !== undefined) istiod.perform(commandTo[server]);
      if (ready !== undefined) istiod.perform({ kind: 'set-ready', ready });
      return stateOf(istiod);
    },
  }),
};
