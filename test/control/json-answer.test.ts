import { describe, expect, it } from 'vitest';
import { jsonBody, jsonPieces } from '../../src/control/json-answer.ts';

const written = (value: unknown): string => [...jsonPieces(value)].join('');

describe('an answer in JSON', () => {
  it.each([
    ['nothing', null],
    ['a text', 'a\nb'],
    ['a list', [1, { a: 'b' }]],
    ['nothing in it', {}],
    ['empty lists', { a: [], b: {} }],
    ['lists of all kinds', { events: [{ names: ['a\n', 'b'], more: { deep: [1] } }, 'x', null, undefined, [1, 2]], dropped: 0 }],
    ['what JSON leaves out', { a: undefined, b: () => 1, c: 1, d: { e: undefined } }],
    ['a value that writes itself', new Date(0)],
  ])('is what JSON.stringify writes: %s', (_, value) => {
    expect(written(value)).toBe(JSON.stringify(value, null, 2));
  });

  it('is one text as long as it is short', () => {
    expect(jsonBody({ events: [1] })).toBe('{\n  "events": [\n    1\n  ]\n}\n');
  });

  it('is written in pieces between which others have their turn, once it is long', async () => {
    const value = { events: Array.from({ length: 1000 }, (_, seq) => ({ seq, names: Array.from({ length: 100 }, (_, i) => `ä${i}`) })) };
    const body = jsonBody(value);
    if (typeof body === 'string') throw new Error('a long answer came as one text');
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    over = true;
    // Not `toBe`: nobody reads the difference of two such texts.
    expect(Buffer.concat(chunks).toString() === `${JSON.stringify(value, null, 2)}\n`).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(300 * 1024);
    expect(turns).toBeGreaterThan(chunks.length / 2);
  });
});
