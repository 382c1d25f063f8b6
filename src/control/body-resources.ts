import { FakeIstiodError } from '../errors.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { resourcesOf, type LoadedResource } from '../protobuf/resource-file.ts';
import type { ResourceSet } from '../protobuf/resource-set.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Findings } from '../script/findings.ts';
import type { RouteContext } from './route.ts';

/**
 * Resources of a body, encoded, as the library takes them. They are read here, and not there, because here the lines of the body are known.
 *
 * @throws FakeIstiodError `request.invalid` with the place of each problem
 */
export function bodyResources(written: unknown, path: DocumentPath, context: RouteContext): ResourceSet {
  const loaded = loadedOf(written, path, context);
  const keys = typeof written === 'object' && written !== null ? Object.keys(written).filter((key) => key !== 'resources') : [];
  return { ...Object.fromEntries(keys.map((key) => [key, []])), resources: loaded.map(encoded) };
}

/** The resources of one type: a body that is a list of them. Error as of `bodyResources`. */
export function bodyResourcesOf(typeUrl: string, list: readonly unknown[], context: RouteContext): ResourceSet {
  const loaded = loadedOf(list, [], context, typeUrl);
  return { [resourceType(typeUrl).key]: [], resources: loaded.map(encoded) };
}

/** One resource, which has to bear the name that it is asked to be put under. Error as of `bodyResources`. */
export function bodyResource(typeUrl: string, name: string, written: unknown, context: RouteContext): ResourceSet {
  const loaded = loadedOf([written], [], { ...context, at: (path, of) => context.at(path.slice(1), of) }, typeUrl);
  const [only] = loaded;
  if (only && only.name !== name) {
    context.findings.report(
      [],
      `the resource has the name ${JSON.stringify(only.name)}, the path ${JSON.stringify(name)}`,
      'Make both the same',
    );
    context.findings.throwIfAny('request.invalid');
  }
  return { resources: loaded.map(encoded) };
}

function loadedOf(value: unknown, path: DocumentPath, { at, findings }: RouteContext, typeUrl?: string): readonly LoadedResource[] {
  const place: PositionOf = (inner, of) => at([...path, ...inner], of);
  const loaded = taken(
    findings,
    () => resourcesOf(value, place, typeUrl === undefined ? {} : { contextKey: resourceType(typeUrl).key }).resources,
  );
  for (const { typeUrl: found, at: position } of loaded) {
    if (typeUrl !== undefined && found !== typeUrl)
      findings.add({
        at: position,
        what: `this is a ${found}, and the path says ${resourceType(typeUrl).short}`,
        remedy: 'PUT /snapshot takes any types',
      });
  }
  findings.throwIfAny('request.invalid');
  return loaded;
}

function taken(findings: Findings, load: () => readonly LoadedResource[]): readonly LoadedResource[] {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof FakeIstiodError) || error.code === 'internal') throw error;
    findings.take([], error);
    return [];
  }
}

/** The bytes that are there already, in the form in which a resource can be given as bytes. */
function encoded({ typeUrl, name, value, version }: LoadedResource): unknown {
  return { name, ...(version === undefined ? {} : { version }), resource: { typeUrl, base64: Buffer.from(value).toString('base64') } };
}
