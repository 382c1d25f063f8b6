import { FakeIstiodError } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import type { ResourceReader } from './read-serve.ts';
import type { Scenario } from './scenario.ts';

/** How scenario files are read. */
export interface LoadScenarioOptions {
  /** Larger files are refused before they are parsed. Default 16 MiB. */
  readonly maxInputBytes?: number;
}

/** A file's path, or a name and its bytes; `serve.files` are looked for beside it either way. */
export type ScenarioSource = string | { readonly name: string; readonly bytes: Uint8Array };

/**
 * Reads and checks a scenario file. The result is frozen.
 *
 * @throws FakeIstiodError `input.*` if it cannot be read or parsed; `scenario.invalid` with every problem found, each with file, line and column.
 */
export async function loadScenario(source: ScenarioSource, options: LoadScenarioOptions = {}): Promise<Scenario> {
  const { readDocument } = await import('../protobuf/document.ts');
  return scenarioFromDocument(readDocument(source, options), options);
}

/** As `loadScenario`, for a document that was read already. `serve.files` are relative to the folder of the document's name. */
export async function scenarioFromDocument(document: SourceDocument, options: LoadScenarioOptions = {}): Promise<Scenario> {
  const [{ checkForm }, { Findings }, { readScenario }] = await Promise.all([
    import('./check-form.ts'),
    import('./findings.ts'),
    import('./read-scenario.ts'),
  ]);
  const findings = new Findings(document.positionOf);
  refuseSecondDocument(document);
  const form = checkForm(document.value, findings);
  findings.throwIfAny();
  if (!form) throw new Error('a form without problems is there');
  const reader = await resourceReader();
  const scenario = readScenario(form, document.value, { findings, reader, file: document.name, options, alsoRead: new Set() });
  findings.throwIfAny();
  return frozen(scenario);
}

/** @note Not passed over in silence: what a user writes there would never happen, and the run would be green. */
function refuseSecondDocument({ documents }: SourceDocument): void {
  const second = documents[1];
  if (!second) return;
  const what = 'a second document begins here, and a scenario is one';
  throw FakeIstiodError.of('scenario.invalid', [
    { at: second.positionOf([]), what, remedy: 'Put it into a file of its own, or take --- away' },
  ]);
}

/** YAML, the file form, descriptors and their reader are loaded only when a scenario is. */
async function resourceReader(): Promise<ResourceReader> {
  const [{ readDocument }, { loadResources, resourcesOf }] = await Promise.all([
    import('../protobuf/document.ts'),
    import('../protobuf/resource-file.ts'),
  ]);
  return { readDocument, loadResources, resourcesOf };
}

/** Freezes a value and all in it but bytes, which cannot be frozen. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const child of value instanceof Map ? value.values() : Object.values(value)) frozen(child);
  return value;
}
