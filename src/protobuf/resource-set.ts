import { FakeIstiodError } from '../errors.ts';
import { resourceTypeNamed, typeUrlNamed } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import { programmatic } from './document.ts';
import { resourcesOf } from './resource-file.ts';

/**
 * Resources in Envoy's JSON form, by the key they stand under in scenario files: `{ clusters: [{ name: 'a', … }], listeners: [] }`.
 * Field names in snake case or in camel case.
 */
export interface ResourceSet {
  /** CDS */
  readonly clusters?: readonly unknown[];
  /** EDS: ClusterLoadAssignments. */
  readonly endpoints?: readonly unknown[];
  /** LDS */
  readonly listeners?: readonly unknown[];
  /** RDS: RouteConfigurations. */
  readonly routes?: readonly unknown[];
  /** SRDS */
  readonly scoped_routes?: readonly unknown[];
  /** VHDS */
  readonly virtual_hosts?: readonly unknown[];
  /** SDS */
  readonly secrets?: readonly unknown[];
  /** ECDS: TypedExtensionConfigs. */
  readonly extension_configs?: readonly unknown[];
  /** RTDS */
  readonly runtimes?: readonly unknown[];
  /** NDS */
  readonly name_tables?: readonly unknown[];
  /** PCDS */
  readonly proxy_configs?: readonly unknown[];
  /** istio.workload.Address, for ambient's clients. */
  readonly addresses?: readonly unknown[];
  /** istio.workload.Workload */
  readonly workloads?: readonly unknown[];
  /** istio.security.Authorization */
  readonly authorizations?: readonly unknown[];
  /** Any type, with `@type`, or raw as `{ typeUrl, name, base64 }`. */
  readonly resources?: readonly unknown[];
}

/** Single resources that come, change and go; what is not named stays. */
export interface ResourceUpdate {
  /** New, or in place of what has the same type and name. */
  readonly set?: ResourceSet;
  /** Names to take away, by type (`CDS`, `clusters`, a type URL). One that is not there changes nothing; one that is also set, is set. */
  readonly remove?: Readonly<Record<string, readonly string[]>>;
}

/**
 * `set` encoded, as the change that replaces the types it gives.
 *
 * @throws FakeIstiodError `resource.invalid` with the path of each problem; `options.invalid` for a key that is no type.
 */
export function replacementOf(set: ResourceSet): SnapshotChange {
  const replace = new Map<string, Resource[]>(typeUrlsIn(set).map((typeUrl) => [typeUrl, []]));
  for (const resource of encoded(set)) {
    const list = replace.get(resource.typeUrl) ?? [];
    list.push(resource);
    replace.set(resource.typeUrl, list);
  }
  return { replace };
}

/**
 * `update` encoded, as the change of single resources.
 *
 * @throws FakeIstiodError as `replacementOf`; `options.invalid` also for what is to be removed and is no list of names.
 */
export function updateOf({ set = {}, remove = {} }: ResourceUpdate): SnapshotChange {
  typeUrlsIn(set);
  const removed = new Map<string, readonly string[]>();
  for (const [word, names] of Object.entries(remove)) {
    const typeUrl = typeUrlNamed(word);
    if (!isNameList(names))
      throw new FakeIstiodError('options.invalid', `what is to be removed of ${word} is no list of resource names`, {
        remedy: `Use remove: { ${JSON.stringify(word)}: ["name"] }`,
      });
    removed.set(typeUrl, [...(removed.get(typeUrl) ?? []), ...names]);
  }
  return { set: encoded(set), remove: removed };
}

function isNameList(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === 'string');
}

/** The types that keys stand for; `resources` stands for none. A key without a value is as good as left out. */
function typeUrlsIn(set: ResourceSet): readonly string[] {
  return Object.entries(set).flatMap(([key, list]) => {
    const type = resourceTypeNamed(key);
    if (!type && key !== 'resources')
      throw new FakeIstiodError('options.invalid', `"${key}" is no kind of resource`, {
        remedy: 'Use clusters, endpoints, listeners, routes, secrets … or resources with "@type"',
      });
    return type && list !== undefined ? [type.typeUrl] : [];
  });
}

function encoded(set: ResourceSet): readonly Resource[] {
  return resourcesOf(set, programmatic).resources.map(withoutPosition);
}

/** @note Field by field: to take one out of an object of many kinds takes as long as all the rest. */
function withoutPosition({ typeUrl, name, value, version, ttlMs, aliases, onDemand }: Resource): Resource {
  if (version === undefined && ttlMs === undefined && !aliases && !onDemand) return { typeUrl, name, value };
  return {
    typeUrl,
    name,
    value,
    ...(version === undefined ? {} : { version }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(aliases ? { aliases } : {}),
    ...(onDemand ? { onDemand } : {}),
  };
}
