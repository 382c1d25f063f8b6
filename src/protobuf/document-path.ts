/** Steps into a document: keys of mappings, indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/** A path as people write it: `clusters[0].connect_timeout`; a key that is no plain word stands in brackets. */
export function pathText(path: DocumentPath): string {
  return path.map((step, i) => stepText(step, i === 0)).join('');
}

function stepText(step: string | number, first: boolean): string {
  if (typeof step === 'number') return `[${step}]`;
  if (!/^[@\w-]+$/.test(step)) return `[${JSON.stringify(step)}]`;
  return first ? step : `.${step}`;
}
