import { isJsonObject } from '../envoy/index.ts';
import type { JsonObject } from '../envoy/index.ts';
import { quoted } from './evidence.ts';
import type { Fact } from './fact.ts';
import type { InputText } from './reading.ts';
import { placedLines } from './reading.ts';

/** Fields that say of an event what is worth quoting, in this order. */
const told = ['type', 'service', 'names', 'code', 'text', 'reason', 'errorText', 'state', 'step', 'version', 'by'] as const;

/** Whether the first lines are events. */
export function looksLikeTimeline(text: string): boolean {
  return /^\{.*"event":"[a-z-]+\.[a-z-]+"/m.test(text.slice(0, 20_000));
}

/** Events of istiod's side, one a line. */
export function readTimeline(input: InputText): readonly Fact[] {
  return placedLines(input).flatMap(({ at, line }): Fact[] => {
    const fields = parsed(line);
    const event = fields?.['event'];
    if (!fields || typeof event !== 'string') return [];
    // What Envoy logs is told by its log; here it is only told again.
    if (event === 'envoy.logged') return [];
    if (event === 'envoy.exited') {
      const code = fields['code'];
      return [{ fact: 'exit', ...quoted(at, says(event, fields)), ...(typeof code === 'number' ? { code } : {}) }];
    }
    return [{ fact: 'event', ...quoted(at, says(event, fields)), event, fields }];
  });
}

function parsed(line: string): JsonObject | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function says(event: string, fields: JsonObject): string {
  const words = told.flatMap((key) => {
    const value = fields[key];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
  return [event, ...words].join(' ');
}
