import { closest, distance } from 'fastest-levenshtein';
import { descriptorIndex } from './descriptors.ts';

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
  const names = descriptorIndex().messageNames().filter((name) => !isV2Name(name));
  const simple = `.${fullName.slice(fullName.lastIndexOf('.') + 1)}`;
  const namesakes = names.filter((name) => name.endsWith(simple));
  if (namesakes.length > 0) return closest(fullName, namesakes);
  return nearestName(fullName, names);
}

/** Whether a type belongs to Envoy's v2 API, which Envoy 1.18 dropped (2021). */
export function isV2Name(fullName: string): boolean {
  return fullName.startsWith('envoy.') && /\.v[12](alpha\d*)?\./.test(fullName);
}

/** The v2 message that has `field`, for a message of v3 that has it no more: `Cluster.hosts`. */
export function v2NamesakeOf(fullName: string): readonly string[] {
  const own = fullName.split('.').filter((part) => /^[A-Z]/.test(part)).join('.');
  return descriptorIndex().messageNames().filter((name) => isV2Name(name) && name.endsWith(`.${own}`));
}
