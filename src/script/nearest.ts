import { closest, distance } from 'fastest-levenshtein';

/** The word that a misspelt one was probably meant to be: its letters in another order, or at most a third of them differ. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_\-.\s]/g, '');
  const letters = (text: string): string => [...plain(text)].sort().join('');
  const same =
    words.find((candidate) => plain(candidate) === plain(word)) ?? words.find((candidate) => letters(candidate) === letters(word));
  if (same !== undefined) return same;
  const near = closest(word, words);
  return distance(word, near) <= Math.max(1, Math.floor(Math.max(word.length, near.length) / 3)) ? near : undefined;
}

/** `Did you mean "x"?`, or all the words there are. */
export function wordRemedy(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  return near === undefined ? `Known are ${words.join(', ')}` : `Did you mean ${JSON.stringify(near)}?`;
}
