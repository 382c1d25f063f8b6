const comparator = /^(>=|<=|>|<|=)?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/;

type Version = readonly [number, number, number];

/** The comparators of `>=1.39` or `>=1.38 <1.40`; undefined if it is no range. A version alone means every release of that line. */
function comparators(range: string): readonly (readonly [string, Version, number])[] | undefined {
  const parts = range.trim().split(/\s+/).map((part) => comparator.exec(part));
  if (parts.some((part) => part === null)) return undefined;
  return parts.map((part) => {
    const given = (part ?? []).slice(2).filter((number) => number !== undefined).map(Number);
    return [part?.[1] ?? '=', [given[0] ?? 0, given[1] ?? 0, given[2] ?? 0], given.length];
  });
}

function order(a: Version, b: Version, digits: number): number {
  for (let i = 0; i < digits; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True if `range` is one or more of `>=1.39`, `<1.40`, `1.38.3`, all of which must hold. */
export function isVersionRange(range: string): boolean {
  return comparators(range) !== undefined;
}

/** True if `version` (`1.40.0`, a suffix is ignored) lies in `range`. `1.38` means all of 1.38; `<1.40` excludes all of 1.40. */
export function inVersionRange(version: string, range: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.\-+]/).map(Number);
  const tests = { '>=': (n: number) => n >= 0, '<=': (n: number) => n <= 0, '>': (n: number) => n > 0, '<': (n: number) => n < 0, '=': (n: number) => n === 0 };
  return (comparators(range) ?? []).every(([operator, wanted, digits]) => tests[operator as '='](order([major, minor, patch], wanted, digits)));
}
