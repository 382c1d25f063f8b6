import { describe, expect, it } from 'vitest';
import type { Import } from './source-imports.ts';
import { importsOf, sourceFiles } from './source-imports.ts';

/**
 * Which room may import which: the table of `docs/decisions/0005-import-table.md`. `x:types` allows `import type` only;
 * `x/y` allows that one file. A room may always import itself.
 */
const libraryRooms = [
  'protocol',
  'script',
  'faults',
  'session',
  'protobuf',
  'wire',
  'auth',
  'ca',
  'envoy',
  'pod',
  'sidecar',
  'services',
  'observe',
  'control',
  'debug',
];
const rootFiles = ['errors', 'clock', 'events', 'options', 'fake-istiod', 'istiod'];
/** Pure words that a scenario and what is said of it share. */
const wordsOfScript = ['script/matcher', 'script/event-pattern', 'script/duration'];
/** Words of the mesh and of templates: values and texts, nothing of how resources are encoded. */
const meshWords = ['services/mesh', 'services/proxy-view', 'services/node-template'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  index: [...libraryRooms, ...rootFiles],
  istiod: [...libraryRooms, ...rootFiles],
  'fake-istiod': [...libraryRooms, ...rootFiles].map((place) => `${place}:types`),
  options: [...libraryRooms, ...rootFiles],
  errors: [],
  clock: [],
  events: [
    'protocol:types',
    'script:types',
    'session:types',
    'wire:types',
    'envoy:types',
    'observe:types',
    'auth:types',
    'ca:types',
    'pod:types',
  ],
  protocol: ['errors'],
  script: ['protocol', 'faults', 'errors', 'events:types', 'envoy:types', 'auth:types', 'services:types', ...meshWords],
  faults: ['protocol', 'errors'],
  session: ['protocol', 'script', 'faults', 'clock', 'errors', 'events:types', 'auth:types', 'services:types'],
  services: ['protobuf', 'protocol', 'errors'],
  protobuf: ['protocol', 'errors'],
  wire: ['session', 'protobuf', 'protocol', 'auth', 'ca', 'errors', 'clock'],
  auth: ['ca', 'errors', 'clock'],
  ca: ['errors', 'clock'],
  envoy: ['clock', 'errors'],
  pod: ['auth', 'ca', 'envoy', 'wire/ca-client', 'script:types', 'script/bootstrap-wish', 'clock', 'errors'],
  sidecar: ['envoy', 'protobuf', 'errors'],
  observe: ['events', 'envoy:types', 'clock', 'errors', 'protocol', 'script:types', 'sidecar/agent-readiness', ...wordsOfScript],
  control: [
    'observe',
    'protobuf',
    'protocol',
    'script',
    'errors',
    'clock:types',
    'events:types',
    'session:types',
    'auth:types',
    'envoy:types',
    'fake-istiod:types',
  ],
  debug: [
    'control/config-dump',
    'control/resource-json',
    'protobuf',
    'protocol',
    'services/mesh',
    'services/proxy-view',
    'errors',
    'events:types',
    'session:types',
    'fake-istiod:types',
  ],
  agent: ['sidecar', 'envoy', 'wire', 'auth', 'ca', 'protobuf', 'protocol', 'clock', 'errors'],
  runner: ['index', 'envoy', 'observe', 'sidecar/agent-readiness', 'script', 'errors', 'clock', 'events:types', 'protocol:types'],
  diagnose: ['sidecar', 'envoy', 'observe:types', 'protobuf', 'errors'],
  lab: ['sidecar', 'envoy', 'runner', 'diagnose', 'script/load', 'protobuf', 'errors', 'clock', 'events:types'],
  testing: ['index', 'envoy', 'runner', 'observe', 'errors', 'clock', 'events:types', 'protocol', ...wordsOfScript, 'script/nearest'],
  testcontainers: [
    'index',
    'envoy',
    'runner',
    'testing',
    'observe',
    'errors',
    'clock',
    'events:types',
    'control/control-client',
    ...wordsOfScript,
    'script/nearest',
  ],
  cli: [
    ...libraryRooms.filter((room) => room !== 'protocol' && room !== 'wire'),
    ...rootFiles,
    'index',
    'runner',
    'agent',
    'diagnose',
    'lab',
  ],
};

/** `script/` is pure but for the files that read a scenario; only these may know descriptors. */
const loaders = /^script\/(findings|load|read|schema|packaged|mutation)[a-z-]*\.ts$/;

const roomOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file.replace(/\.ts$/, ''));

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [room, wanted] = [roomOf(from), roomOf(to)];
  if (room === wanted) return true;
  if (wanted === 'protobuf' && loaders.test(from)) return true;
  const allowed = mayImport[room] ?? [];
  return allowed.includes(wanted) || allowed.includes(to.replace(/\.ts$/, '')) || (typeOnly && allowed.includes(`${wanted}:types`));
}

/** A chain of imports that comes back to where it began, if there is one. `import type` and `import()` close no circle. */
function circle(imports: readonly Import[]): readonly string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, typeOnly, lazy } of imports) {
    if (!typeOnly && !lazy) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const found = visit(to, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return undefined;
}

describe('the rooms of src/', () => {
  const files = sourceFiles();
  const imports = importsOf(files);

  it('are all in the table', () => {
    const unknown = [...new Set(files.map(roomOf))].filter((room) => mayImport[room] === undefined);
    expect(unknown).toEqual([]);
  });

  it('import each other only as the table allows', () => {
    const forbidden = imports
      .filter((one) => !isAllowed(one))
      .map(({ from, to, typeOnly }) => `${from} → ${to}${typeOnly ? ' (type)' : ''}`);
    expect(forbidden).toEqual([]);
  });

  it('hold no circle of imports', () => {
    expect(circle(imports)).toBeUndefined();
  });
});
