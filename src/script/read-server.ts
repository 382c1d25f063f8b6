import type { DocumentPath } from '../protobuf/document.ts';
import type { NodeMatcher } from '../protocol/node.ts';
import type { Quirks } from '../protocol/quirks.ts';
import { istiodQuirks, specQuirks } from '../protocol/quirks.ts';
import type { NodeContent } from '../services/node-content.ts';
import type { IdentityCommand, Layer } from './command.ts';
import type { Findings } from './findings.ts';
import { readRules } from './read-command.ts';
import { identityKeys, readIdentity } from './read-identity.ts';
import { readServe, type Reading, type TemplateKeeper } from './read-serve.ts';
import { readMesh } from './read-services.ts';
import type { ServerScript } from './scenario.ts';
import type { IstiodEntryForm, ScenarioForm } from './schema.ts';
import type { ServeForm } from './schema-serve.ts';

/** What of a scenario, or of an entry of `istiods`, is about a server. */
export type ServerForm = Omit<IstiodEntryForm, 'name' | 'steps'>;

/** Where a key of a `ServerForm` stands in the file. */
export type PlaceOf = (key: keyof ServerForm) => DocumentPath;

/** What a server is told from the start. */
export function readServer(written: ServerForm, place: PlaceOf, reading: Reading): Omit<ServerScript, 'steps'> {
  const { withhold, istiod } = written;
  return {
    layers: readLayers(written, place, reading),
    withhold: withhold === undefined ? [] : readRules(withhold, place('withhold'), reading.findings),
    istiod: { state: istiod?.state ?? 'up', ready: istiod?.ready ?? true, quirks: readQuirks(istiod?.quirks) },
    ...identityOf(written, place, reading.findings),
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
function readLayers(written: ServerForm, place: PlaceOf, reading: Reading): readonly Layer[] {
  const { serve = {}, nodes = [], services } = written;
  const names = nodes.map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < i)
      reading.findings.report([...place('nodes'), i, 'name'], `two entries have the name ${JSON.stringify(name)}`, 'Rename one');
  }
  const mesh: readonly NodeContent[] =
    services || written.mesh
      ? [{ kind: 'services', mesh: readMesh(services ?? [], written.mesh, place('services'), reading.findings) }]
      : [];
  const base = readLayer(serve, place('serve'), reading, mesh);
  return [
    base,
    ...nodes.map(({ match, serve: own }, i) => readLayer(own, [...place('nodes'), i, 'serve'], reading, [], match as NodeMatcher)),
  ];
}

function readQuirks(written: NonNullable<ScenarioForm['istiod']>['quirks']): Quirks {
  if (written === 'spec') return specQuirks;
  return typeof written === 'object' ? ({ ...istiodQuirks, ...written } as Quirks) : istiodQuirks;
}

function identityOf(written: ServerForm, place: PlaceOf, findings: Findings): { readonly identity?: readonly IdentityCommand[] } {
  const given = identityKeys.filter((key) => written[key] !== undefined);
  const identity = given.flatMap((key) => readIdentity(key, written[key] as never, place(key), findings));
  return identity.length > 0 ? { identity } : {};
}
