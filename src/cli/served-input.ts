import { existsSync } from 'node:fs';
import { FakeIstiodError, problemText, type Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import type { LoadedResource } from '../protobuf/resource-file.ts';
import { scenarioOfResources } from '../script/scenario-of-resources.ts';
import type { Scenario } from '../script/scenario.ts';
import { compiledScenario } from './compiled-scenario.ts';
import { recognise } from './input-kind.ts';
import { scenarioNamed } from './scenario-source.ts';

/** What `serve` is to serve, and what deserves a word about it. */
export interface ServedInput {
  readonly scenario: Scenario;
  /** How a person names it: `ready`, or the files. */
  readonly title: string;
  readonly warnings: readonly string[];
}

/** A scenario (file or packaged name), or files with resources. Errors as the loaders', and `usage.invalid` for a mixture. */
export async function servedInput(inputs: readonly string[], options: { readonly maxInput: number }): Promise<ServedInput> {
  const names = inputs.length === 0 ? ['ready'] : inputs;
  const [only = ''] = names;
  const compiled = names.length === 1 ? compiledScenario(only, options.maxInput) : undefined;
  if (compiled) return { scenario: compiled, title: compiled.name, warnings: [] };
  const files = await Promise.all(names.map((name) => opened(name, options.maxInput)));
  const scenario = files.find((file) => file.kind === 'scenario');
  if (!scenario) return servedResources(files.filter((file) => file.kind === 'resources'));
  if (names.length > 1) {
    throw new FakeIstiodError('usage.invalid', `${scenario.name} is a scenario, which is served alone`, {
      remedy: 'Give one scenario, or files with resources; a scenario can name files under `serve.files`',
    });
  }
  const read = await readScenario(scenario, options);
  return { scenario: read, title: read.name, warnings: [] };
}

interface ResourceFile {
  readonly kind: 'resources';
  readonly name: string;
  readonly resources: readonly LoadedResource[];
  readonly warnings: readonly Problem[];
}

interface ScenarioFile {
  readonly kind: 'scenario';
  readonly name: string;
  /** Undefined if there is no such file, so that it must be the name of a packaged one. */
  readonly document?: SourceDocument;
}

/** A file's resources, or that it is a scenario. */
async function opened(name: string, maxInputBytes: number): Promise<ResourceFile | ScenarioFile> {
  const { readDocument } = await import('../protobuf/document.ts');
  if (!existsSync(name)) {
    if (/[./]/.test(name)) readDocument(name, { maxInputBytes });
    return { kind: 'scenario', name };
  }
  const document = readDocument(name, { maxInputBytes });
  const found = recognise(document);
  if (found.kind === 'scenario') return { kind: 'scenario', name, document };
  if (found.kind === 'other')
    throw FakeIstiodError.of('input.unrecognised', [{ at: { file: name }, what: found.what, remedy: found.remedy }]);
  const { loadResources } = await import('../protobuf/resource-file.ts');
  return { kind: 'resources', name, ...loadResources(document) };
}

/** What was read already is not read again: that takes as long as listening. */
async function readScenario({ name, document }: ScenarioFile, options: { readonly maxInput: number }): Promise<Scenario> {
  if (!document) return scenarioNamed(name, options);
  const { scenarioFromDocument } = await import('../script/load.ts');
  return scenarioFromDocument(document, { maxInputBytes: options.maxInput });
}

function servedResources(files: readonly ResourceFile[]): ServedInput {
  const resources = files.flatMap((file) => file.resources);
  refuseDuplicates(resources);
  const title = files.map(({ name }) => name).join(', ');
  return { scenario: scenarioOfResources(title, resources), title, warnings: files.flatMap(({ warnings }) => warnings.map(problemText)) };
}

/** Within a file the loader does it; two files may still name the same. */
function refuseDuplicates(resources: readonly LoadedResource[]): void {
  const seen = new Map<string, LoadedResource>();
  const problems: Problem[] = [];
  for (const resource of resources) {
    const key = `${resource.typeUrl} ${resource.name}`;
    const before = seen.get(key);
    if (before)
      problems.push({ at: resource.at, what: `"${resource.name}" stands in ${before.at.file} already`, remedy: 'Take one of them away' });
    else seen.set(key, resource);
  }
  if (problems.length > 0) throw FakeIstiodError.of('resource.invalid', problems);
}
