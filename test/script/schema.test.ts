import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scenarioSchema } from '../../tools/scenario-schema.ts';
import { eventWords, fieldWords } from '../../src/script/event-fields.ts';
import { scriptableEvents } from '../../src/script/trigger.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [key: string]: unknown;
}

const published = JSON.parse(scenarioSchema()) as Schema & { readonly $defs: Readonly<Record<string, Schema>> };

/** Keys, by their path, that an editor could say nothing about. */
function undescribed(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = Object.entries((schema as Schema).properties ?? {}).flatMap(([key, value]) => {
    const described = value.description ?? published.$defs[value.$ref?.replace('#/$defs/', '') ?? '']?.description;
    return described ? [] : [`${path}.${key}`];
  });
  return [...own, ...Object.entries(schema).flatMap(([key, value]) => undescribed(value, `${path}/${key}`))];
}

describe('scenarios/scenario.schema.json', () => {
  it('is what the code checks (`node tools/schema.mjs` writes it)', () => {
    expect(readFileSync(new URL('../../scenarios/scenario.schema.json', import.meta.url), 'utf8')).toBe(scenarioSchema());
  });

  it('describes every key', () => {
    expect(undescribed(published, '')).toEqual([]);
  });

  it('knows every event as a trigger and as an expectation', () => {
    for (const name of ['trigger', 'expectation']) {
      const text = JSON.stringify(published.$defs[name]);
      expect(scriptableEvents.filter((event) => !text.includes(`"${event}":`))).toEqual([]);
    }
  });

  it('has words for every field of every event, and for no other', () => {
    const used = new Set(Object.values(eventWords).flatMap(({ fields }) => fields as readonly string[]));
    expect([...used].sort()).toEqual(Object.keys(fieldWords).sort());
  });
});
