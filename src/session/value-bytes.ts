/** What anything takes beside its characters: about a pointer and the head of an object. */
const overhead = 24;

/** About what a plain value takes, in bytes: one for each character. However deep it is. */
export function valueBytes(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    bytes += overhead;
    if (typeof next === 'string') bytes += next.length;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) bytes += key.length;
    for (const member of Object.values(next)) left.push(member);
  }
  return bytes;
}
