import type { Json, JsonObject } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/index.ts';
import type { PositionOf } from '../protobuf/document.ts';
import { bootstrapFacts } from './bootstrap-facts.ts';
import { quoted } from './evidence.ts';
import type { Fact, ResourceFact } from './fact.ts';
import { asJson, field, fieldAt, objectsOf, textOf } from './json-access.ts';
import type { ReadValue } from './reading.ts';

type Path = readonly (string | number)[];
type Type = ResourceFact['type'];

/** Message of a section, in whatever API version, and what is in it. */
const sections: Readonly<Record<string, Type | 'bootstrap'>> = {
  BootstrapConfigDump: 'bootstrap',
  ClustersConfigDump: 'CDS',
  EndpointsConfigDump: 'EDS',
  ListenersConfigDump: 'LDS',
  RoutesConfigDump: 'RDS',
  ScopedRoutesConfigDump: 'RDS',
  SecretsConfigDump: 'SDS',
  EcdsConfigDump: 'ECDS',
};

/** Lists of the sections, the state of their entries, and where an entry has its resource. */
const lists: readonly (readonly [list: string, type: Type, state: ResourceFact['state'], at: string])[] = [
  ['static_clusters', 'CDS', 'static', 'cluster'],
  ['dynamic_active_clusters', 'CDS', 'active', 'cluster'],
  ['dynamic_warming_clusters', 'CDS', 'warming', 'cluster'],
  ['static_endpoint_configs', 'EDS', 'static', 'endpoint_config'],
  ['dynamic_endpoint_configs', 'EDS', 'active', 'endpoint_config'],
  ['static_listeners', 'LDS', 'static', 'listener'],
  ['static_route_configs', 'RDS', 'static', 'route_config'],
  ['dynamic_route_configs', 'RDS', 'active', 'route_config'],
  ['static_secrets', 'SDS', 'static', 'secret'],
  ['dynamic_active_secrets', 'SDS', 'active', 'secret'],
  ['dynamic_warming_secrets', 'SDS', 'warming', 'secret'],
  ['ecds_filters', 'ECDS', 'active', 'ecds_filter'],
];

/** Every config_dump in a value: itself, or a few keys down, as tools wrap it. */
export function dumpsIn(value: Json | undefined, path: Path = []): readonly { readonly value: JsonObject; readonly path: Path }[] {
  if (path.length > 4) return [];
  if (Array.isArray(value)) {
    const configs = objectsOf(value).filter((one) => sectionOf(one) !== undefined);
    return configs.length > 0 ? [{ value: { configs }, path }] : [];
  }
  if (!isJsonObject(value)) return [];
  if (Array.isArray(value['configs']) || sectionOf(value) !== undefined) return [{ value, path }];
  return Object.entries(value).flatMap(([key, child]) => dumpsIn(child, [...path, key]));
}

function sectionOf(value: JsonObject): Type | 'bootstrap' | undefined {
  const message = /envoy\.admin\.[\w.]*?(\w+)$/.exec(textOf(value['@type']) ?? '')?.[1];
  return message === undefined ? undefined : sections[message];
}

/** `/config_dump`, of v2 or v3, in either spelling, alone or wrapped. */
export function readConfigDump({ value, positionOf }: ReadValue): readonly Fact[] {
  return dumpsIn(asJson(value)).flatMap((dump) => {
    const whole = Array.isArray(dump.value['configs']);
    const configs = whole ? objectsOf(dump.value['configs']) : [dump.value];
    return configs.flatMap((config, i) => readSection(config, positionOf, whole ? [...dump.path, 'configs', i] : dump.path));
  });
}

function readSection(config: JsonObject, positionOf: PositionOf, path: Path): readonly Fact[] {
  const type = sectionOf(config) ?? typeByLists(config);
  if (type === undefined) return [];
  const section: Fact = { fact: 'section', ...quoted(positionOf(path), `config_dump has ${type}`), type };
  if (type === 'bootstrap') {
    const inner = field(config, 'bootstrap');
    if (!isJsonObject(inner)) return [section];
    const bootstrap = bootstrapFacts(inner, positionOf, [...path, 'bootstrap']);
    return [section, { fact: 'bootstrap', ...quoted(bootstrap.at, 'the bootstrap that Envoy runs with'), bootstrap }];
  }
  const found = lists.flatMap(([list, of, state, at]) => {
    const key = field(config, list) === config[list] ? list : camel(list);
    return objectsOf(field(config, list)).flatMap((entry, i) => resourcesOf(entry, of, state, at, positionOf, [...path, key, i]));
  });
  return [section, ...found, ...listeners(config, positionOf, path)];
}

function typeByLists(config: JsonObject): Type | undefined {
  if (field(config, 'dynamic_listeners') !== undefined) return 'LDS';
  return lists.find(([list]) => field(config, list) !== undefined)?.[1];
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function resourcesOf(
  entry: JsonObject,
  type: Type,
  state: ResourceFact['state'],
  at: string,
  positionOf: PositionOf,
  path: Path,
): readonly Fact[] {
  const value = objectsOf([field(entry, at) ?? null])[0] ?? {};
  const name = textOf(entry['name']) ?? textOf(value['name']) ?? textOf(field(value, 'cluster_name')) ?? '';
  const version = textOf(field(entry, 'version_info'));
  const isEmpty = state === 'active' && version === undefined && type !== 'SDS' && type !== 'EDS' && Object.keys(value).length <= 2;
  const resource: Fact = {
    fact: 'resource',
    ...quoted(positionOf(path), `${state} ${type} resource ${name}${version === undefined ? '' : `, version ${version}`}`),
    type,
    name,
    state: isEmpty ? 'empty' : state,
    value,
  };
  const error = errorOf(entry, type, name, positionOf, path);
  return error ? [resource, error] : [resource];
}

/** A listener's entry has its active, warming and rejected states side by side. */
function listeners(config: JsonObject, positionOf: PositionOf, path: Path): readonly Fact[] {
  const key = field(config, 'dynamic_listeners') === config['dynamic_listeners'] ? 'dynamic_listeners' : 'dynamicListeners';
  return objectsOf(field(config, 'dynamic_listeners')).flatMap((entry, i) => {
    const name = textOf(entry['name']) ?? '';
    const facts = (['active', 'warming'] as const).flatMap((state): Fact[] => {
      const found = field(entry, `${state}_state`);
      const value = objectsOf([fieldAt(found, 'listener') ?? null])[0] ?? {};
      if (found === undefined) return [];
      return [
        { fact: 'resource', ...quoted(positionOf([...path, key, i]), `${state} LDS resource ${name}`), type: 'LDS', name, state, value },
      ];
    });
    const error = errorOf(entry, 'LDS', name, positionOf, [...path, key, i]);
    return error ? [...facts, error] : facts;
  });
}

function errorOf(entry: JsonObject, type: Type, name: string, positionOf: PositionOf, path: Path): Fact | undefined {
  const state = field(entry, 'error_state');
  if (!isJsonObject(state)) return undefined;
  const error = textOf(state['details']) ?? '';
  return {
    fact: 'resource',
    ...quoted(positionOf(path), `${type} resource ${name} was rejected: ${error}`),
    type,
    name,
    state: 'rejected',
    value: {},
    error,
  };
}
