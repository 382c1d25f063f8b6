const bound = /^(>=|<=|>|<|=)?\d+(\.\d+){0,2}$/;

/** True if `range` is one or more of `>=1.39`, `<1.40`, `1.38.3` with blanks between; which Envoys lie in it is `observe/`'s to say. */
export function isVersionRange(range: string): boolean {
  return range
    .trim()
    .split(/\s+/)
    .every((part) => bound.test(part));
}
