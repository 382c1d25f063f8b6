/** One bound of a range: `>=1.39`, `<1.41`, `=1.40.0` or bare `1.40`, which means every 1.40. */
const bound = /^(>=|<=|>|<|=)?v?(\d+(?:\.\d+){0,2})$/;

/** True if `version` (`1.40.0`) lies in `range`: bounds separated by blanks, all of which must hold. A range that cannot be read holds nothing. */
export function inVersionRange(range: string, version: string): boolean {
  return range
    .replace(/(>=|<=|>|<|=)\s+/g, '$1')
    .trim()
    .split(/[\s,]+/)
    .every((part) => holds(part, version));
}

function holds(part: string, version: string): boolean {
  const read = bound.exec(part);
  if (!read) return false;
  const order = compareTo(version, read[2] as string);
  switch (read[1]) {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    default:
      return order === 0;
  }
}

/** Compares only as many numbers as the bound has: 1.40.3 equals 1.40. */
function compareTo(version: string, wanted: string): number {
  const found = version.split(/[.-]/).map(Number);
  for (const [i, number] of wanted.split('.').map(Number).entries()) {
    const difference = (found[i] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}
