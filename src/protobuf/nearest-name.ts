import { closest, distance } from 'fastest-levenshtein';
import { descriptorIndex } from './descriptors.ts';
import { isV2Name } from './v2-api.ts';

/** The candidate that a misspelt word was probably meant to be: at most a third of its letters differ. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_\-\s]/g, '');
  const same = candidates.find((candidate) => plain(candidate) === plain(word));
  if (same !== undefined) return same;
  const near = closest(word, candidates);
  return distance(word, near) <= Math.max(1, Math.floor(Math.max(word.length, near.length) / 3)) ? near : undefined;
}

/** The message type that a wrong name was probably meant to be: the same message in another package, else by spelling. */
export function nearestTypeName(fullName: string): string | undefined {
  const names = descriptorIndex()
    .messageNames()
    .filter((name) => !isV2Name(name));
  const simple = `.${fullName.slice(fullName.lastIndexOf('.') + 1)}`;
  const namesakes = names.filter((name) => name.endsWith(simple));
  if (namesakes.length > 0) return closest(fullName, namesakes);
  return nearestName(fullName, names);
}
