import type { DocumentPath } from './document-path.ts';
import { isMapping } from './raw-form.ts';
import { resourceNameIn } from './resource-kind.ts';
import type { FoundItems, ResourceItem } from './resource-item.ts';
import { isV2Name } from './v2-api.ts';

/** A `config_dump` inside what a tool printed around it. */
export interface FoundDump {
  readonly value: unknown;
  readonly path: DocumentPath;
}

const wrapperDepth = 4;

/** Every config_dump in a value: itself, under `configDump`, or a few keys down as egctl prints them (namespace, pod). */
export function findDumps(value: unknown, path: DocumentPath = []): readonly FoundDump[] {
  if (!isMapping(value) || path.length > wrapperDepth) return [];
  if (Array.isArray(value['configs']) || isSections(value['configs']) || messageName(value).startsWith('envoy.admin.')) {
    return [{ value, path }];
  }
  return Object.entries(value).flatMap(([key, child]) => findDumps(child, [...path, key]));
}

/** Before Envoy 1.9 a dump was a mapping: `listeners`, `clusters`, ... each with its section. */
function isSections(configs: unknown): boolean {
  return (
    isMapping(configs) && Object.values(configs).some((section) => isMapping(section) && messageName(section).startsWith('envoy.admin.'))
  );
}

/** Parts of a dump that Envoy does not run: what it started from, what it rejected, what it is about to leave. */
const unservedKeys = new Set(['bootstrap', 'errorState', 'error_state', 'drainingState', 'draining_state']);

/** Adds the resources of a config_dump: of every section, active, static and warming ones; the warming one of two is newer. */
export function addDump(found: FoundItems, dump: FoundDump): void {
  const old = oldSections(dump);
  if (old[0]) return reportV2Dump(found, old[0], old.length);
  const before = found.items.length;
  visit(found, dump.value, dump.path, { state: 'active', name: undefined });
  const own = found.items.splice(before);
  const named = own.filter((item) => !isInlineRoute(item) && !isBootstrapListener(item));
  warnOfNameless(found, dump.path, own.filter(isInlineRoute).length, 'route configurations', 'part of their listeners');
  warnOfNameless(found, dump.path, own.filter(isBootstrapListener).length, 'static listeners', 'part of the bootstrap');
  const newest = new Map<string, ResourceItem>();
  for (const item of named) {
    const key = `${messageName(item.value)} ${item.name ?? ''}`;
    const other = newest.get(key);
    if (other && item.name)
      found.warn(
        item.path,
        `"${item.name}" stands twice in the dump (${other.state} and ${item.state})`,
        `The ${newer(other, item).state} one is served`,
      );
    newest.set(item.name ? key : `${key}${newest.size}`, other && item.name ? newer(other, item) : item);
  }
  found.items.push(...newest.values());
}

function newer(first: ResourceItem, second: ResourceItem): ResourceItem {
  const rank = (item: ResourceItem): number => ['static', 'active', 'warming'].indexOf(item.state ?? 'active');
  return rank(second) > rank(first) ? second : first;
}

function isInlineRoute({ value, name }: ResourceItem): boolean {
  return !name && messageName(value).endsWith('.RouteConfiguration');
}

/** As Istio's bootstrap has them for 15090 and 15021. Over LDS each would need a name. */
function isBootstrapListener({ value, name, state }: ResourceItem): boolean {
  return !name && state === 'static' && messageName(value).endsWith('.Listener');
}

function warnOfNameless(found: FoundItems, path: DocumentPath, count: number, what: string, why: string): void {
  if (count > 0) found.warn(path, `${count} ${what} without a name are not served: they are ${why}`);
}

interface Where {
  readonly state: 'static' | 'active' | 'warming';
  /** The name beside the resource, for one that has none itself. */
  readonly name: string | undefined;
}

function visit(found: FoundItems, value: unknown, path: DocumentPath, where: Where): void {
  if (Array.isArray(value)) return value.forEach((item, i) => visit(found, item, [...path, i], where));
  if (!isMapping(value)) return;
  const message = messageName(value);
  if (message !== '' && !message.startsWith('envoy.admin.') && !message.startsWith('envoy.service.status.')) {
    found.items.push({ path, value, state: where.state, name: resourceNameIn(value) || where.name });
    return;
  }
  const rejected = value['error_state'] ?? value['errorState'];
  if (isMapping(rejected))
    found.warn(
      path,
      `"${String(value['name'])}" has an update that the proxy rejected: ${String(rejected['details'])}`,
      'The last good one is served',
    );
  for (const [key, child] of Object.entries(value)) {
    if (!unservedKeys.has(key))
      visit(found, child, [...path, key], { state: stateOf(key) ?? where.state, name: resourceNameIn(value) || undefined });
  }
}

function stateOf(key: string): Where['state'] | undefined {
  if (/warming/i.test(key)) return 'warming';
  return /^static/i.test(key) ? 'static' : undefined;
}

interface OldSection {
  readonly path: DocumentPath;
  readonly message: string;
}

function oldSections({ value, path }: FoundDump): readonly OldSection[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, i) => oldSections({ value: item, path: [...path, i] }));
  if (!isMapping(value)) return [];
  const message = messageName(value);
  if (message.startsWith('envoy.admin.v2') || (message.startsWith('envoy.service.status.') && isV2Name(message)))
    return [{ path, message }];
  if (message !== '' && !message.startsWith('envoy.admin.')) return [];
  return Object.entries(value).flatMap(([key, child]) => oldSections({ value: child, path: [...path, key] }));
}

function reportV2Dump(found: FoundItems, { path, message }: OldSection, count: number): void {
  found.problem(
    path,
    `${message} is of Envoy's API v2, which Envoy dropped in 2021${count > 1 ? ` (${count} such sections here)` : ''}; only API v3 is served`,
    'Take the dump from Envoy 1.18 or newer',
  );
}

/** The message that `@type` names, without its prefix; '' when there is none. */
function messageName(value: Readonly<Record<string, unknown>>): string {
  const typeUrl = value['@type'];
  return typeof typeUrl === 'string' ? typeUrl.slice(typeUrl.lastIndexOf('/') + 1) : '';
}
