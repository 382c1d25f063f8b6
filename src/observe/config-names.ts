import type { Json, JsonObject } from '../envoy/index.ts';
import { TypeUrl } from '../protocol/resource-type.ts';

/** Names of resources that came over xDS, as Envoy has them. */
export interface ConfigNames {
  /** In use. */
  readonly active: readonly string[];
  /** Accepted, but not in use before what they depend on is there. */
  readonly warming: readonly string[];
}

type Place = readonly [list: string, ...nameAt: readonly string[]];

/** Where `/config_dump?include_eds` keeps the names of a type: lists of its dumps, and the path to a name in an entry. */
interface Places {
  readonly active: readonly Place[];
  readonly warming: readonly Place[];
}

const places: Readonly<Record<string, Places>> = {
  [TypeUrl.cluster]: {
    active: [['dynamic_active_clusters', 'cluster', 'name']],
    warming: [['dynamic_warming_clusters', 'cluster', 'name']],
  },
  [TypeUrl.route]: { active: [['dynamic_route_configs', 'route_config', 'name']], warming: [] },
  [TypeUrl.scopedRoute]: { active: [['dynamic_scoped_route_configs', 'name']], warming: [] },
  [TypeUrl.endpoint]: { active: [['dynamic_endpoint_configs', 'endpoint_config', 'cluster_name']], warming: [] },
  [TypeUrl.secret]: { active: [['dynamic_active_secrets', 'name']], warming: [['dynamic_warming_secrets', 'name']] },
  [TypeUrl.extensionConfig]: { active: [['ecds_filters', 'ecds_filter', 'name']], warming: [] },
};

/** Names of a type in a `/config_dump` with endpoints; undefined for a type that no dump holds. Static resources are left out. */
export function configNames(dump: JsonObject, typeUrl: string): ConfigNames | undefined {
  const configs = objects(dump['configs']);
  if (typeUrl === TypeUrl.listener) return listenerNames(configs);
  const found = places[typeUrl];
  if (!found) return undefined;
  const names = (at: readonly Place[]): readonly string[] =>
    at.flatMap(([list, ...nameAt]) => configs.flatMap((config) => objects(config[list]).flatMap((entry) => nameIn(entry, nameAt))));
  return { active: names(found.active), warming: names(found.warming) };
}

/** A listener's entry holds its active and its warming state side by side. */
function listenerNames(configs: readonly JsonObject[]): ConfigNames {
  const entries = configs.flatMap((config) => objects(config['dynamic_listeners']));
  const withState = (state: string): readonly string[] =>
    entries.filter((entry) => entry[state] !== undefined).flatMap((entry) => nameIn(entry, ['name']));
  return { active: withState('active_state'), warming: withState('warming_state') };
}

function nameIn(entry: JsonObject, nameAt: readonly string[]): readonly string[] {
  const name = nameAt.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), entry);
  return typeof name === 'string' ? [name] : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}
