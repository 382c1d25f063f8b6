import type { SourceDocument } from '../protobuf/document.ts';
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
  throw new Error(`not yet ${String(source)} ${String(options.maxInputBytes)}`);
}

/** As `loadScenario`, for a document that was read already. `serve.files` are relative to the folder of the document's name. */
export async function scenarioFromDocument(document: SourceDocument, options: LoadScenarioOptions = {}): Promise<Scenario> {
  throw new Error(`not yet ${document.name} ${String(options.maxInputBytes)}`);
}
