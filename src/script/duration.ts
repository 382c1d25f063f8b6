/** How a duration is written in scenario files: a number and its unit. */
export const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m)$/;

const unitMs = { ms: 1, s: 1000, m: 60_000 } as const;

/** `2s`, `200ms`, `1.5m` in milliseconds; undefined for anything else. */
export function durationMs(written: string): number | undefined {
  const [, amount, unit] = durationPattern.exec(written) ?? [];
  return amount === undefined ? undefined : Number(amount) * unitMs[unit as keyof typeof unitMs];
}

/** What is wrong with a duration that does have a unit, to stand after its text: `is less than nothing`. Undefined if there is none. */
export function durationTrouble(written: unknown, units: readonly string[] = Object.keys(unitMs)): string | undefined {
  const [, sign, unit = ''] = (typeof written === 'string' && /^(-?)\d+(?:\.\d+)?([a-zµ]+)$/i.exec(written)) || [];
  if (sign === undefined) return undefined;
  if (!units.includes(unit)) return `has the unit ${unit}, which is none of ${units.slice(0, -1).join(', ')} and ${units.at(-1)}`;
  return sign === '-' ? 'is less than nothing' : undefined;
}

/** Milliseconds as people write them: `200 ms`, `2 s`, `1.5 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 || ms % 30_000 !== 0 ? `${ms / 1000} s` : `${ms / 60_000} min`;
}
