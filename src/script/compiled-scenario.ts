import type { Scenario } from './scenario.ts';

/**
 * A checked scenario as text that only needs parsing, not reading: for the scenarios of the package, compiled when it is built. The
 * file's name is left open, for the package may lie anywhere.
 */
export function compiledText({ file, ...scenario }: Scenario): string {
  return JSON.stringify({ ...scenario, file }, function (this: Record<string, unknown>, key: string, converted: unknown) {
    // Buffers have been turned into something else already.
    const value = this[key];
    if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
    if (value instanceof Map) return { $map: [...(value as Map<unknown, unknown>)] };
    return value === file && file !== undefined ? { $file: true } : converted;
  });
}

/** The scenario that `compiledText` wrote, as if it had been read from `file`. Frozen. */
export function scenarioFromCompiled(text: string, file: string): Scenario {
  return JSON.parse(text, (_, value: unknown) => revived(value, file)) as Scenario;
}

function revived(value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$bytes' in value) return Buffer.from(String(value.$bytes), 'base64');
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
  if ('$file' in value) return file;
  // Bytes and maps are as the loader leaves them.
  return value instanceof Uint8Array || value instanceof Map ? value : Object.freeze(value);
}
