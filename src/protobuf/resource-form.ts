import { FakeIstiodError } from '../errors.ts';
import { addDump, findDumps } from './config-dump.ts';
import type { PositionOf } from './document.ts';
import type { DocumentPath } from './document-path.ts';
import { shown } from './json-walk.ts';
import { nearestName } from './nearest-name.ts';
import { isMapping, rawForm } from './raw-form.ts';
import { addItems, type FoundItems, type ItemContext } from './resource-item.ts';
import { resourceKeys, resourceNameIn, typeUrlOfKey, typeUrlOfShape } from './resource-kind.ts';

const removedKey = 'removedresources';
/** Keys that stand beside `resources` in a DiscoveryResponse and say nothing about a resource. */
const responseKeys = new Set([
  'versioninfo',
  'typeurl',
  'nonce',
  'canary',
  'controlplane',
  'systemversioninfo',
  'resourceerrors',
  '@type',
  removedKey,
]);
const bootstrapKeys = ['static_resources', 'dynamic_resources', 'node', 'admin', 'layered_runtime', 'stats_config', 'cluster_manager'];

const forms =
  'Give static_resources, resources: [...], a list under its key (clusters, listeners, routes, endpoints, secrets), a resource with "@type", or an admin config_dump';

/** Finds the resources of a value in any form that Envoy's world has. */
export function findItems(found: FoundItems, value: unknown, at: PositionOf, context: ItemContext): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) return addItems(found, value, [], context);
  if (!isMapping(value)) throw unrecognised(at, `holds ${shown(value)}, no Envoy resources`);
  if (Object.keys(value).length === 0) return;
  if (isKubernetesObject(value)) {
    throw unrecognised(
      at,
      `is a Kubernetes object (kind: ${String(value['kind'])}), no Envoy configuration`,
      "Give what Envoy gets: a proxy's config_dump or Envoy resources",
    );
  }
  addMapping(found, value, at, context);
}

function addMapping(found: FoundItems, value: Readonly<Record<string, unknown>>, at: PositionOf, context: ItemContext): void {
  if (isSingle(value)) return addItems(found, value, [], context);
  if (isMapping(value['cluster_manager']) && Array.isArray(value['cluster_manager']['clusters'])) {
    throw unrecognised(
      at,
      "is configuration of Envoy's API v1 (2017), which no supported Envoy reads; only API v3 is served",
      'Rewrite it for API v3',
    );
  }
  if (isBootstrap(value)) return addStatic(found, value, []);
  const bootstrap = value['bootstrap'];
  if (isMapping(bootstrap) && Object.keys(value).length === 1) return addStatic(found, bootstrap, ['bootstrap']);
  if ('resources' in value || Object.keys(value).some((key) => typeUrlOfKey(key) !== undefined)) return addLists(found, value, context);
  const dumps = findDumps(value);
  const [dump] = dumps;
  if (dumps.length > 1)
    throw unrecognised(
      at,
      `holds the config_dumps of ${dumps.length} proxies (${dumps.map(({ path }) => path.join('/')).join(', ')})`,
      'Give the dump of one of them',
    );
  if (dump) return addWholeDump(found, dump.value as Readonly<Record<string, unknown>>, dump.path);
  if (context.typeUrl !== undefined || typeUrlOfShape(value) !== undefined) return addItems(found, value, [], context);
  throw unrecognised(at, `is in no form that holds Envoy resources (its keys: ${Object.keys(value).slice(0, 8).join(', ')})`);
}

/** One resource: it says so, or it has a name. */
function isSingle(value: Readonly<Record<string, unknown>>): boolean {
  const type = value['@type'];
  if (rawForm(value) || ('base64' in value && !('resource' in value))) return true;
  if (typeof type === 'string')
    return !/\/envoy\.(admin\.|service\.discovery\.v3\.(Delta)?DiscoveryResponse$|config\.bootstrap\.)/.test(type);
  return resourceNameIn(value) !== '' && !Array.isArray(value['configs']) && !Array.isArray(value['resources']);
}

function isKubernetesObject(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string';
}

function isBootstrap(value: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(value).some((key) => bootstrapKeys.includes(snake(key)));
}

function addStatic(found: FoundItems, bootstrap: Readonly<Record<string, unknown>>, path: DocumentPath): void {
  const key = 'staticResources' in bootstrap ? 'staticResources' : 'static_resources';
  const resources = bootstrap[key];
  if (resources === undefined || resources === null) {
    return found.warn(path, 'is an Envoy bootstrap without static_resources: it holds nothing to serve');
  }
  if (!isMapping(resources)) return found.problem([...path, key], `expected a mapping, found ${shown(resources)}`);
  addKeys(found, resources, [...path, key], ['clusters', 'listeners', 'secrets']);
}

function addLists(found: FoundItems, value: Readonly<Record<string, unknown>>, context: ItemContext): void {
  const typeUrl = value['type_url'] ?? value['typeUrl'];
  const inside: ItemContext = typeof typeUrl === 'string' ? { typeUrl } : context;
  addItems(found, value['resources'], ['resources'], inside);
  const others = Object.entries(value).filter(([key]) => key !== 'resources' && !('resources' in value && responseKeys.has(plainKey(key))));
  for (const [key, names] of Object.entries(value)) {
    if ('resources' in value && plainKey(key) === removedKey && Array.isArray(names) && names.length > 0)
      found.warn([key], 'is no part of what is served: a client is told what is gone when it is taken away');
  }
  addKeys(found, Object.fromEntries(others), [], ['resources', ...resourceKeys]);
}

function addKeys(found: FoundItems, lists: Readonly<Record<string, unknown>>, path: DocumentPath, known: readonly string[]): void {
  for (const [key, list] of Object.entries(lists)) {
    const typeUrl = typeUrlOfKey(key);
    if (typeUrl !== undefined) addItems(found, list, [...path, key], { typeUrl, key });
    else {
      const near = nearestName(key, known);
      found.problem([...path, key], `unknown key "${key}"`, near ? `Did you mean "${near}"?` : `One of ${known.join(', ')}`, 'key');
    }
  }
}

/** A dump that holds nothing but the bootstrap is taken for that bootstrap. */
function addWholeDump(found: FoundItems, dump: Readonly<Record<string, unknown>>, path: DocumentPath): void {
  const sections = Array.isArray(dump['configs']) ? (dump['configs'] as unknown[]) : [dump];
  const [only] = sections;
  const bootstrap = sections.length === 1 && isMapping(only) ? only['bootstrap'] : undefined;
  if (isMapping(bootstrap))
    addStatic(found, bootstrap, Array.isArray(dump['configs']) ? [...path, 'configs', 0, 'bootstrap'] : [...path, 'bootstrap']);
  else addDump(found, { value: dump, path });
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll('_', '');
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function unrecognised(at: PositionOf, what: string, remedy = forms): FakeIstiodError {
  return FakeIstiodError.of('input.unrecognised', [{ at: at([]), what, remedy }]);
}
