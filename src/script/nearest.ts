import { closest, distance } from 'fastest-levenshtein';

/** The word that a misspelt one was probably meant to be: at most a third of its letters differ. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_\-.\s]/g, '');
  const same = words.find((candidate) => plain(candidate) === plain(word));
  if (same !== undefined) return same;
  const near = closest(word, words);
  return distance(word, near) <= Math.max(1, Math.floor(Math.max(word.length, near.length) / 3)) ? near : undefined;
}

/** `Did you mean "x"?`, or all the words there are. */
export function wordRemedy(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  return near === undefined ? `Known are ${words.join(', ')}` : `Did you mean ${JSON.stringify(near)}?`;
}
