import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';
import { replacedAt } from './json-pointer.ts';
import { scenarioFromDocument, type LoadScenarioOptions, type ScenarioSource } from './load.ts';
import type { Scenario } from './scenario.ts';

/**
 * The scenario with its own `mutation` made: a run of it must fail.
 *
 * @throws FakeIstiodError as `loadScenario`, and `scenario.invalid` if the scenario has no mutation.
 */
export async function mutatedScenario(source: ScenarioSource, options: LoadScenarioOptions = {}): Promise<Scenario> {
  const document = readDocument(source, options);
  const { mutation } = await scenarioFromDocument(document, options);
  if (!mutation)
    throw FakeIstiodError.of('scenario.invalid', [
      { at: { file: document.name }, what: 'the scenario has no mutation', remedy: 'Add one, with what and replace' },
    ]);
  let value = replacedAt(document.value, '/mutation', null);
  for (const [pointer, replacement] of Object.entries(mutation.replace)) value = replacedAt(value, pointer, replacement);
  const changed: SourceDocument = { ...document, value };
  return scenarioFromDocument(changed, options);
}
