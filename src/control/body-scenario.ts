import type { DocumentPath } from '../protobuf/document.ts';
import { scenarioFromDocument } from '../script/load.ts';
import type { Scenario } from '../script/scenario.ts';
import { fileRefusal } from './body-command.ts';
import type { RouteContext } from './route.ts';

/** What a scenario is called that was sent, for it has no file. */
const sentName = 'sent';

/**
 * A whole scenario that was sent, read and checked as a file is.
 *
 * @throws FakeIstiodError `scenario.invalid` with the place of each problem in the body
 */
export async function scenarioOfBody({ document, findings }: RouteContext): Promise<Scenario> {
  if (!document) throw new Error('an operation that wants a body has one');
  for (const path of filesIn(document.value)) findings.take(path, fileRefusal());
  findings.throwIfAny('request.invalid');
  const scenario = await scenarioFromDocument(document);
  const { file: _, ...rest } = scenario;
  return { ...rest, name: sentName };
}

/** Places where a scenario has `files`: in what is served, published or set. */
function filesIn(value: unknown, path: DocumentPath = []): readonly DocumentPath[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => filesIn(item, [...path, i]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const inner = [...path, key];
    const serves = key === 'serve' || key === 'publish' || key === 'set';
    const own = serves && typeof child === 'object' && child !== null && 'files' in child ? [[...inner, 'files']] : [];
    // Resources may have keys of any name.
    return [...own, ...(serves ? [] : filesIn(child, inner))];
  });
}
