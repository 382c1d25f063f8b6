/** One step to what differs, e.g. `static_resources.clusters[0].name`. */
export type Difference = string;

/**
 * Where two values of a bootstrap first differ; undefined if they say the same. Keys in snake and camel case are one; scalars are compared
 * as text, since YAML and JSON write them in several ways.
 */
export function firstDifference(left: unknown, right: unknown, path = ''): Difference | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    for (let i = 0; i < length; i += 1) {
      const found = firstDifference(left[i], right[i], `${path}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const [one, other] = [fieldsOf(left), fieldsOf(right)];
  if (one && other) {
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      const found = firstDifference(one.get(key), other.get(key), path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const isScalar = !one && !other && !Array.isArray(left) && !Array.isArray(right);
  return isScalar && String(left ?? '') === String(right ?? '') ? undefined : path;
}

/** Whether two values of a bootstrap say the same. */
export function sameValue(left: unknown, right: unknown): boolean {
  return firstDifference(left, right) === undefined;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).map(([key, each]: [string, unknown]) => [snake(key), each]));
}

function snake(key: string): string {
  return /^[a-z][A-Za-z0-9]*$/.test(key) ? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : key;
}
