import { FakeIstiodError } from '../errors.ts';
import { resourceTypeNamed } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import { programmatic } from './document.ts';
import { resourcesOf } from './resource-file.ts';

/**
 * Resources in Envoy's JSON form, by the key they stand under in scenario files: `{ clusters: [{ name: 'a', … }], listeners: [] }`. Keys:
 * clusters, endpoints, listeners, routes, scoped_routes, virtual_hosts, secrets, extension_configs, runtimes; `resources` takes any type
 * with `@type`, or raw as `{ typeUrl, name, base64 }`. A type that is given is replaced whole; an empty list takes all of it away.
 */
export type ResourceSet = Readonly<Record<string, readonly unknown[]>>;

/**
 * `set` encoded, as the change that replaces the types it gives.
 *
 * @throws FakeIstiodError `resource.invalid` with the path of each problem; `options.invalid` for a key that is no type.
 */
export function changeOf(set: ResourceSet, allowDuplicates = false): SnapshotChange {
  const replace = new Map<string, Resource[]>();
  for (const key of Object.keys(set)) {
    const type = resourceTypeNamed(key);
    if (type) replace.set(type.typeUrl, []);
    else if (key !== 'resources')
      throw new FakeIstiodError('options.invalid', `"${key}" is no kind of resource`, {
        remedy: 'Use clusters, endpoints, listeners, routes, secrets … or resources with "@type"',
      });
  }
  for (const { typeUrl, name, value, version } of resourcesOf(set, programmatic, { allowDuplicates }).resources) {
    const list = replace.get(typeUrl) ?? [];
    list.push({ typeUrl, name, value, ...(version === undefined ? {} : { version }) });
    replace.set(typeUrl, list);
  }
  return { replace };
}
