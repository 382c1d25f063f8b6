import { dirname, join } from 'node:path';
import type { DocumentPath, PositionOf, ReadDocumentOptions, SourceDocument, DocumentSource } from '../protobuf/document.ts';
import type { LoadedResource, LoadedResources, LoadOptions } from '../protobuf/resource-file.ts';
import { resourceTypeNamed } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import type { TemplateDocument } from '../services/node-content.ts';
import { isTemplate, referenceProblem, referencesIn, sampled } from '../services/node-template.ts';
import type { Findings } from './findings.ts';
import { serveKeys, type ChangeForm, type ServeForm } from './schema-serve.ts';

/** What the reader of `serve` needs of `protobuf/`: handed in, so that a scenario without resources loads none of it. */
export interface ResourceReader {
  readDocument(source: DocumentSource, options?: ReadDocumentOptions): SourceDocument;
  loadResources(document: SourceDocument, options?: LoadOptions): LoadedResources;
  resourcesOf(value: unknown, at: PositionOf, options?: LoadOptions): LoadedResources;
}

/** Where templates go as they are found. */
export type TemplateKeeper = { readonly document: TemplateDocument; readonly types: readonly string[] }[];

type TemplateReading = Reading & { readonly templates: TemplateKeeper | undefined };

/** All that reading a scenario takes. */
export interface Reading {
  readonly findings: Findings;
  readonly reader: ResourceReader;
  /** The scenario's own file, whose folder `files` are relative to. */
  readonly file: string;
  readonly options: ReadDocumentOptions;
  /** Files that were read because the scenario names them. */
  readonly alsoRead?: Set<string>;
}

/** Resources by type URL; a type that is given but empty is there, too. */
export type Served = ReadonlyMap<string, readonly Resource[]>;

/**
 * What a `serve`, `publish` or `set` holds. What has `${node.…}` in it goes to `templates`, and was read once with a sample in their
 * place; without `templates` that is a problem.
 */
export function readServe(written: ServeForm | ChangeForm, path: DocumentPath, given: Reading, templates?: TemplateKeeper): Served {
  const reading = { ...given, templates };
  const allowDuplicates = written.allow_duplicates === true;
  const served = new Map<string, LoadedResource[]>();
  const add = (loaded: readonly LoadedResource[]): void => {
    for (const resource of loaded) served.set(resource.typeUrl, [...(served.get(resource.typeUrl) ?? []), resource]);
  };
  for (const key of serveKeys) {
    const list = written[key as keyof ServeForm];
    if (list === undefined) continue;
    const typeUrl = resourceTypeNamed(key)?.typeUrl ?? key;
    served.set(typeUrl, served.get(typeUrl) ?? []);
    add(inline(list, [...path, key], { allowDuplicates: true, contextKey: key }, reading));
  }
  if (written.resources) add(inline({ resources: written.resources }, path, { allowDuplicates: true }, reading));
  for (const [i, name] of (written.files ?? []).entries()) add(fromFile(name, [...path, 'files', i], reading));
  if (!allowDuplicates) reportDuplicates(served, reading.findings);
  return new Map([...served].map(([typeUrl, list]) => [typeUrl, list.map(asResource)]));
}

function asResource({ at: _, ...resource }: LoadedResource): Resource {
  return resource;
}

function inline(value: unknown, path: DocumentPath, options: LoadOptions, reading: TemplateReading): readonly LoadedResource[] {
  const { reader, findings } = reading;
  const at: PositionOf = (inner, of) => findings.at([...path, ...inner], of);
  try {
    if (isTemplate(value)) return keepTemplate(value, path, options, at, reading);
    return reader.resourcesOf(value, at, options).resources;
  } catch (error) {
    findings.take(path, error);
    return [];
  }
}

/** Reads a template with samples in it, and keeps it as it is. It serves nothing by itself. */
function keepTemplate(
  value: unknown,
  path: DocumentPath,
  options: LoadOptions,
  at: PositionOf,
  { reader, findings, templates }: TemplateReading,
): readonly LoadedResource[] {
  for (const reference of referencesIn(value)) {
    const problem = referenceProblem(reference);
    if (problem) findings.report(path, problem);
  }
  if (!templates) {
    findings.report(path, `${referencesIn(value)[0]} stands for a node, and this is for all of them`, 'Put it under serve, or under nodes');
    return [];
  }
  const { resources } = reader.resourcesOf(sampled(value), at, { ...options, allowDuplicates: true });
  const { contextKey } = options;
  templates.push({
    document: { value, ...(contextKey === undefined ? {} : { key: contextKey }) },
    types: [...new Set(resources.map(({ typeUrl }) => typeUrl))],
  });
  return [];
}

function fromFile(name: string, path: DocumentPath, reading: TemplateReading): readonly LoadedResource[] {
  const { reader, findings, file, options, alsoRead } = reading;
  const place = join(dirname(file), name);
  alsoRead?.add(place);
  try {
    const document = reader.readDocument(place, options);
    if (isTemplate(document.value)) return keepTemplate(document.value, path, {}, document.positionOf, reading);
    return reader.loadResources(document, { allowDuplicates: true }).resources;
  } catch (error) {
    findings.take(path, error);
    return [];
  }
}

function reportDuplicates(served: ReadonlyMap<string, readonly LoadedResource[]>, findings: Findings): void {
  for (const list of served.values()) {
    const first = new Map<string, LoadedResource>();
    for (const resource of list) {
      const before = first.get(resource.name);
      if (before)
        findings.add({
          at: resource.at,
          what: `the name ${JSON.stringify(resource.name)} is taken, by the resource at ${placeOf(before)}`,
          remedy: 'Rename one, or write allow_duplicates: true to serve both on purpose',
        });
      else first.set(resource.name, resource);
    }
  }
}

function placeOf({ at }: LoadedResource): string {
  return [at.file, at.line, at.column].filter((part) => part !== undefined && part !== '').join(':');
}
