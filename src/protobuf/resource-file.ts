import { FakeIstiodError, type Problem, type SourcePosition } from '../errors.ts';
import type { Resource } from '../protocol/resource.ts';
import { encodedAny, encodedAs, typeUrlPrefix } from './any-json.ts';
import { problemsAt } from './check.ts';
import type { PositionOf, SourceDocument } from './document.ts';
import { JsonWalk } from './json-walk.ts';
import { encodeMessage } from './message-json.ts';
import { nameInBytes } from './name-in-bytes.ts';
import { rawForm } from './raw-form.ts';
import { redactedPaths } from './redacted-secret.ts';
import { findItems } from './resource-form.ts';
import { aliasesOf, FoundItems, isOnDemand, ttlMs, type ItemContext, type ResourceItem } from './resource-item.ts';
import { resourceNameIn, typeUrlOfFileName, typeUrlOfKey, typeUrlOfShape } from './resource-kind.ts';
import { isV2Name, v3Counterpart } from './v2-api.ts';

/** One resource, ready to be served: type URL with prefix, name ('' where it has none), serialized message without any `Any` around it. */
export interface LoadedResource extends Resource {
  readonly at: SourcePosition;
}

export interface LoadedResources {
  readonly resources: readonly LoadedResource[];
  /** What was loaded nevertheless but deserves a word, e.g. a redacted secret. */
  readonly warnings: readonly Problem[];
}

export interface LoadOptions {
  /** Two resources of one type and name are a problem unless this is true. */
  readonly allowDuplicates?: boolean;
  /** The key the value stands under (`clusters`), which tells the type of a plain list. */
  readonly contextKey?: string;
}

/** More problems than these are counted, not told. */
const mostProblems = 20;

/**
 * The resources of a file in any form that Envoy's world has: `static_resources`, a filesystem DiscoveryResponse,
 * `resources: [{ name, resource }]`, lists under their key, bare lists whose type the file's name or their shape tells, one
 * resource, an admin `config_dump`, raw bytes (`{ name, typeUrl, base64 }`). All documents of a `---` stream count.
 *
 * @throws FakeIstiodError `resource.invalid` with the problems found (at most twenty told), or `input.unrecognised`.
 */
export function loadResources(document: SourceDocument, options: LoadOptions = {}): LoadedResources {
  const typeUrl = typeUrlOfFileName(document.name);
  const fromName: ItemContext = typeUrl === undefined ? {} : { typeUrl };
  const loaded = document.documents.map(({ value, positionOf }) => load(value, positionOf, options, fromName));
  return finish(loaded, options);
}

/** As `loadResources`, for a value inside a document (`serve:` of a scenario); `at` is relative to that value. */
export function resourcesOf(value: unknown, at: PositionOf, options: LoadOptions = {}): LoadedResources {
  return finish([load(value, at, options, {})], options);
}

interface Loaded {
  readonly resources: readonly LoadedResource[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

function load(value: unknown, at: PositionOf, { contextKey }: LoadOptions, fallback: ItemContext): Loaded {
  const found = new FoundItems();
  const typeUrl = contextKey === undefined ? undefined : typeUrlOfKey(contextKey);
  findItems(found, value, at, typeUrl === undefined ? fallback : { typeUrl });
  const items = withoutV2(found);
  const resources = items.flatMap((item) => resourceOf(found, item, at) ?? []);
  return { resources, problems: problemsAt(found.problems, at), warnings: problemsAt(found.warnings, at) };
}

function finish(loaded: readonly Loaded[], { allowDuplicates = false }: LoadOptions): LoadedResources {
  const resources = loaded.flatMap((part) => part.resources);
  const problems = loaded.flatMap((part) => part.problems);
  if (!allowDuplicates) problems.push(...duplicates(resources));
  if (problems.length > 0) throw FakeIstiodError.of('resource.invalid', shortened(problems));
  return { resources, warnings: loaded.flatMap((part) => part.warnings) };
}

function shortened(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= mostProblems) return problems;
  return [...problems.slice(0, mostProblems), { what: `and ${problems.length - mostProblems} more problems` }];
}

/** A v2 file is wrong as a whole: one problem for it, not one for each resource. */
function withoutV2(found: FoundItems): readonly ResourceItem[] {
  const message = (item: ResourceItem): string => String(item.value['@type'] ?? '').replace(/^.*\//, '');
  const old = found.items.filter((item) => !rawForm(item.value) && isV2Name(message(item)));
  const [first] = old;
  if (!first) return found.items;
  const v3 = v3Counterpart(message(first));
  found.problem(
    [...first.path, '@type'],
    `${message(first)} belongs to Envoy's API v2, which Envoy dropped in 2021 (${old.length} such resources here); only API v3 is served`,
    v3 ? `The v3 type is ${typeUrlPrefix}${v3}` : 'Rewrite it for API v3',
  );
  return found.items.filter((item) => !old.includes(item));
}

function resourceOf(found: FoundItems, item: ResourceItem, at: PositionOf): LoadedResource | undefined {
  const walk = new JsonWalk(item.path);
  const raw = rawPart(item.value);
  if (!raw && item.typeUrl === undefined && lacksBytes(item.value)) {
    found.problem(item.path, 'has a typeUrl and no base64', 'A resource given as bytes is { name, typeUrl, base64 }');
    return undefined;
  }
  const typeUrl = raw ? undefined : (item.value['@type'] ?? item.typeUrl ?? guessedType(found, item));
  if (!raw && typeUrl === undefined) {
    found.problem(item.path, 'nothing says what this is', 'Put it under its key (clusters, listeners, ...) or add "@type"');
    return undefined;
  }
  const closed = raw ? encodedAny(walk, raw, encodeMessage) : encodedAs(walk, typeUrl, item.value, encodeMessage);
  found.problems.push(...walk.problems);
  found.warnings.push(...walk.warnings);
  const ttl = ttlMs(found, item);
  const aliases = aliasesOf(found, item);
  if (!closed?.typeUrl) {
    if (closed) found.problem(item.path, 'an empty resource', 'Give it a "@type"');
    return undefined;
  }
  const value = closed.value ?? new Uint8Array(0);
  const rawName = item.value['name'];
  const ownName = raw
    ? typeof rawName === 'string'
      ? rawName
      : nameInBytes(closed.typeUrl, value)
    : resourceNameIn(item.value, closed.typeUrl);
  for (const path of closed.typeUrl.endsWith('.Secret') ? redactedPaths(item.value) : []) {
    found.warn(
      [...item.path, ...path],
      `the secret "${ownName}" is redacted, as admin endpoints show it; Envoy will reject it`,
      'Put the real one in its place',
    );
  }
  return placed(
    {
      typeUrl: closed.typeUrl,
      name: item.name ?? ownName,
      value,
      ...(item.version ? { version: item.version } : {}),
      ...(ttl === undefined ? {} : { ttlMs: ttl }),
      ...(aliases.length > 0 ? { aliases } : {}),
      ...(isOnDemand(found, item) ? { onDemand: true as const } : {}),
    },
    item,
    at,
  );
}

/** The raw form of a resource, which may have a name beside it; undefined if it has another form. */
function rawPart(value: ResourceItem['value']): ResourceItem['value'] | undefined {
  if (!('base64' in value)) return undefined;
  if (rawForm(value)) return value;
  const { name: _, ...body } = value;
  return rawForm(body) && body;
}

/** The raw form as `Any` has it, with its bytes elsewhere or nowhere. */
function lacksBytes(value: ResourceItem['value']): boolean {
  return ('typeUrl' in value || 'type_url' in value) && !('@type' in value) && !('base64' in value);
}

/** The position is looked up when it is asked for: in a large file that costs more than all the rest. */
function placed(resource: Omit<LoadedResource, 'at'>, { path }: ResourceItem, at: PositionOf): LoadedResource {
  let known: SourcePosition | undefined;
  return Object.freeze(Object.defineProperty(resource, 'at', { enumerable: true, get: () => (known ??= at(path)) })) as LoadedResource;
}

function guessedType(found: FoundItems, { value, path }: ResourceItem): string | undefined {
  const typeUrl = typeUrlOfShape(value);
  if (typeUrl !== undefined) {
    found.warn(
      path,
      `no "@type" says what this is; by its fields it is taken for a ${typeUrl.slice(typeUrlPrefix.length)}`,
      'Put it under its key (clusters, listeners, ...) or add "@type"',
    );
  }
  return typeUrl;
}

function duplicates(resources: readonly LoadedResource[]): readonly Problem[] {
  const seen = new Map<string, LoadedResource>();
  const problems: Problem[] = [];
  for (const resource of resources) {
    const key = `${resource.typeUrl} ${resource.name}`;
    const other = seen.get(key);
    if (!other || resource.name === '') seen.set(key, resource);
    else {
      const first = other.at.line === undefined ? other.at.path : `${other.at.file}:${other.at.line}`;
      problems.push({
        at: resource.at,
        what: `a second ${resource.typeUrl.replace(/^.*\./, '')} named "${resource.name}" (the first: ${first})`,
        remedy: 'Rename or remove one, or allow duplicates to serve both on purpose',
      });
    }
  }
  return problems;
}
