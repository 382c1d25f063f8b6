import { FakeIstiodError } from '../errors.ts';
import { resourceTypeNamed, resourceTypes } from '../protocol/resource-type.ts';
import { wordRemedy } from '../script/nearest.ts';
import type { RequestPart } from './problem.ts';

/** The type URL that a word of a request means. Error `request.invalid`. */
export function typeUrlIn(part: RequestPart, name: string, word: string): string {
  const type = resourceTypeNamed(word);
  if (type) return type.typeUrl;
  const remedy = wordRemedy(
    word,
    resourceTypes.map(({ short }) => short),
  );
  throw FakeIstiodError.of('request.invalid', [
    { at: { file: part, path: name }, what: `unknown resource type ${JSON.stringify(word)}`, remedy },
  ]);
}
