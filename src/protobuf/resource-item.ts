import { shown, type JsonProblem } from './json-walk.ts';
import type { DocumentPath } from './document-path.ts';
import { nearestName } from './nearest-name.ts';
import { isMapping } from './raw-form.ts';

/** One resource found in a file, not yet encoded. */
export interface ResourceItem {
  readonly path: DocumentPath;
  /** The resource's JSON, with or without `@type`, or its raw form. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The type that its place in the file tells, for a value without `@type`. */
  readonly typeUrl?: string | undefined;
  /** The name that its wrapper gives it. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly ttl?: unknown;
  readonly aliases?: unknown;
  readonly onDemand?: unknown;
  /** In a config_dump: which of its states this is. */
  readonly state?: 'static' | 'active' | 'warming';
}

/** What a file gave: resources, and what is wrong or strange about it. */
export class FoundItems {
  readonly items: ResourceItem[] = [];
  readonly problems: JsonProblem[] = [];
  readonly warnings: JsonProblem[] = [];

  problem(path: DocumentPath, what: string, remedy?: string, of: 'key' | 'value' = 'value'): void {
    this.problems.push({ path, of, what, remedy });
  }

  warn(path: DocumentPath, what: string, remedy?: string): void {
    this.warnings.push({ path, of: 'value', what, remedy });
  }
}

/** What the place of a list tells about its items. */
export interface ItemContext {
  readonly typeUrl?: string | undefined;
  /** The key that tells the type: what stands under it may not say that it is something else. */
  readonly key?: string;
}

/** Adds what stands under a key: a list, one resource, or nothing. */
export function addItems(found: FoundItems, value: unknown, path: DocumentPath, context: ItemContext): void {
  if (value === null || value === undefined) return;
  if (!Array.isArray(value)) return addItem(found, value, path, context);
  for (const [i, item] of value.entries()) addItem(found, item, [...path, i], context);
}

const wrapperKeys = [
  'name',
  'resource',
  'version',
  'ttl',
  'aliases',
  'on_demand',
  'onDemand',
  'cache_control',
  'cacheControl',
  'metadata',
  'resource_name',
  'resourceName',
  '@type',
];

function addItem(found: FoundItems, value: unknown, path: DocumentPath, context: ItemContext): void {
  if (!isMapping(value)) return found.problem(path, `expected a resource (a mapping), found ${shown(value)}`);
  const { typeUrl } = context;
  contradict(found, isWrapper(value) ? value['resource'] : value, isWrapper(value) ? [...path, 'resource'] : path, context);
  if (!isWrapper(value)) return void found.items.push({ path, value, typeUrl });
  for (const key of Object.keys(value).filter((known) => !wrapperKeys.includes(known))) {
    const near = nearestName(key, wrapperKeys);
    found.problem([...path, key], `unknown field "${key}" beside "resource"`, near && `Did you mean "${near}"?`, 'key');
  }
  const { name, version, ttl, aliases, resource } = value;
  if (!isMapping(resource)) return found.problem([...path, 'resource'], `expected a resource (a mapping), found ${shown(resource)}`);
  const text = (key: string, given: unknown): string | undefined => {
    if (given === undefined || given === null || typeof given === 'string') return given ?? undefined;
    found.problem([...path, key], `expected a string, found ${shown(given)}`, `Put it in quotes: "${String(given)}"`);
    return undefined;
  };
  found.items.push({
    path: [...path, 'resource'],
    value: resource,
    typeUrl,
    name: text('name', name),
    version: text('version', version),
    ttl,
    aliases,
    onDemand: value['on_demand'] ?? value['onDemand'],
  });
}

/** A problem if a resource says that it is of another type than the key it stands under. Types of API v2 are told elsewhere what they are. */
function contradict(found: FoundItems, value: unknown, path: DocumentPath, { key, typeUrl }: ItemContext): void {
  const type = isMapping(value) ? value['@type'] : undefined;
  if (key === undefined || typeof type !== 'string' || type === typeUrl || !type.includes('.v3.')) return;
  found.problem([...path, '@type'], `is a ${shortName(type)} under "${key}"`, `Put it under its own key, or under "resources"`);
}

function shortName(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
}

/** `envoy.service.discovery.v3.Resource`: a resource with its name, version and lifetime. */
function isWrapper(value: Readonly<Record<string, unknown>>): boolean {
  return 'resource' in value && (value['@type'] === undefined || String(value['@type']).endsWith('/envoy.service.discovery.v3.Resource'));
}

/** A lifetime (`ttl: 30s`) in milliseconds; a problem in `found` if it is none. */
export function ttlMs(found: FoundItems, { ttl, path }: ResourceItem): number | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl === 'string' && /^\d+(\.\d+)?s$/.test(ttl)) return Math.round(Number.parseFloat(ttl) * 1000);
  found.problem([...path.slice(0, -1), 'ttl'], `expected a duration, found ${shown(ttl)}`, 'Write it in seconds with the unit: 30s');
  return undefined;
}

/** Further names of a resource (`aliases: [route/host]`); a problem in `found` if they are none. */
export function aliasesOf(found: FoundItems, { aliases, path }: ResourceItem): readonly string[] {
  if (aliases === undefined || aliases === null) return [];
  if (Array.isArray(aliases) && aliases.every((alias): alias is string => typeof alias === 'string')) return aliases;
  found.problem(
    [...path.slice(0, -1), 'aliases'],
    `expected a list of names, found ${shown(aliases)}`,
    'Write it so: aliases: ["route/host"]',
  );
  return [];
}

/** `on_demand: true`; a problem in `found` if it is neither true nor false. */
export function isOnDemand(found: FoundItems, { onDemand, path }: ResourceItem): boolean {
  if (onDemand === undefined || onDemand === null || typeof onDemand === 'boolean') return onDemand === true;
  found.problem([...path.slice(0, -1), 'on_demand'], `expected true or false, found ${shown(onDemand)}`, 'Write on_demand: true');
  return false;
}
