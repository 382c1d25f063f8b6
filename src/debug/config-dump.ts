import { dumpSection, redacted } from '../control/config-dump.ts';
import { resourceJson } from '../control/resource-json.ts';
import { encodeJson } from '../protobuf/canonical-json.ts';
import { resourceTypeNamed, TypeUrl } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import type { NodeType, ServedResource } from '../session/node-state.ts';
import type { Connection } from './connection.ts';
import type { DebuggedIstiod } from './face.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a resource is written into a dump. */
type Written = (typeUrl: string, resource: ServedResource) => Json;

const admin = 'type.googleapis.com/envoy.admin.v3.';

/** Sections in istiod's order; the type whose resources they hold (istio debug.go:connectionConfigDump). */
const sections: readonly { readonly message: string; readonly typeUrl?: string; readonly onDemand?: true }[] = [
  { message: 'BootstrapConfigDump' },
  { message: 'ClustersConfigDump', typeUrl: TypeUrl.cluster },
  { message: 'EndpointsConfigDump', typeUrl: TypeUrl.endpoint, onDemand: true },
  { message: 'ListenersConfigDump', typeUrl: TypeUrl.listener },
  { message: 'ScopedRoutesConfigDump' },
  { message: 'RoutesConfigDump', typeUrl: TypeUrl.route },
  { message: 'SecretsConfigDump', typeUrl: TypeUrl.secret },
  { message: 'EcdsConfigDump', typeUrl: TypeUrl.extensionConfig },
];

/** istiod has one word for both kinds of ambient's resources (istio pkg/model/xds.go:GetResourceType). */
const moreTypes: Readonly<Record<string, readonly string[]>> = { wds: [TypeUrl.address, TypeUrl.workload] };

function isWatched(type: NodeType | undefined, { name }: ServedResource): boolean {
  return type !== undefined && (type.wildcard !== 'no' || type.names.includes(name));
}

/** What of a type is served to the node of a connection, as far as that asks for it. What is withheld is told, too. */
function watched(connection: Connection, istiod: DebuggedIstiod): (typeUrl: string) => readonly ServedResource[] {
  const { types } = istiod.snapshot(connection.node.id);
  return (typeUrl) => {
    const watch = connection.types.find((type) => type.typeUrl === typeUrl);
    return types.find((type) => type.typeUrl === typeUrl)?.resources.filter((resource) => isWatched(watch, resource)) ?? [];
  };
}

const readable: Written = (typeUrl, { name, value }) => {
  const json = resourceJson(typeUrl, name, value);
  return typeUrl === TypeUrl.secret ? redacted(json) : json;
};

/** Bytes as they are; only secrets have to be read, to be redacted. */
const raw: Written = (typeUrl, resource) =>
  typeUrl === TypeUrl.secret ? readable(typeUrl, resource) : { typeUrl, base64: Buffer.from(resource.value).toString('base64') };

function sectionsOf(connection: Connection, istiod: DebuggedIstiod, includeEds: boolean, written: Written): readonly Json[] {
  const { version } = istiod.snapshot(connection.node.id);
  const resourcesOf = watched(connection, istiod);
  return sections
    .filter(({ onDemand }) => !onDemand || includeEds)
    .map(({ message, typeUrl }) => {
      const resources = typeUrl === undefined ? [] : resourcesOf(typeUrl);
      const section =
        typeUrl === undefined
          ? undefined
          : dumpSection(
              typeUrl,
              version,
              resources.map((resource) => ({ name: resource.name, resource: written(typeUrl, resource) })),
            );
      return withoutEmpty(section ?? { '@type': `${admin}${message}` });
    });
}

/** As protobuf's JSON has it: an empty list is not there. */
function withoutEmpty(section: Json): Json {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

/** `/debug/config_dump`: what istiod has for a proxy, in the form of Envoy's own dump. */
export function dumpFor(connection: Connection, istiod: DebuggedIstiod, includeEds: boolean): Json {
  return { configs: sectionsOf(connection, istiod, includeEds, readable) };
}

/** The type URLs of `cds,eds`; a word that nobody knows stands for itself. */
function typeUrlsOf(words: string): readonly string[] {
  return words
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
    .flatMap((word) => moreTypes[word.toLowerCase()] ?? resourceTypeNamed(word)?.typeUrl ?? word);
}

/** `/debug/config_dump?types=…`: the resources of these types alone, each by itself. */
export function resourcesFor(connection: Connection, istiod: DebuggedIstiod, types: string): Json {
  const resourcesOf = watched(connection, istiod);
  const configs = [...new Set(typeUrlsOf(types))].flatMap((typeUrl) => resourcesOf(typeUrl).map((resource) => readable(typeUrl, resource)));
  return configs.length > 0 ? { configs } : {};
}

/** The sections of a dump as resources of an answer over xDS. */
export function dumpMessages(connection: Connection, istiod: DebuggedIstiod): readonly Resource[] {
  return sectionsOf(connection, istiod, false, raw).map(({ '@type': typeUrl, ...section }) => {
    const text = String(typeUrl);
    return { typeUrl: text, name: '', value: encodeJson(text.slice(text.lastIndexOf('/') + 1), section) };
  });
}
