import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { badScenarios } from './bad-scenario-cases.ts';
import { complaintOf } from './written.ts';

/*
 * Golden texts: what a person reads who wrote each of these. After a wanted change: UPDATE_GOLDEN=1 npx vitest run test/script, and read the diff.
 */
const file = new URL('golden/bad-scenarios.txt', import.meta.url);
const update = process.env['UPDATE_GOLDEN'] === '1';

function goldenTexts(): ReadonlyMap<string, string> {
  const blocks = readFileSync(file, 'utf8').split(/^== /m).slice(1);
  return new Map(blocks.map((block) => [block.slice(0, block.indexOf('\n')), block.slice(block.indexOf('\n') + 1).trimEnd()]));
}

describe('a scenario file with', () => {
  if (update) {
    it('golden texts that are written anew', async () => {
      const blocks = Object.entries(badScenarios).map(async ([title, text]) => {
        const { code, message } = await complaintOf(text);
        return `== ${title}\n${code}\n${message}\n`;
      });
      writeFileSync(file, (await Promise.all(blocks)).join('\n'));
    });
    return;
  }
  const golden = goldenTexts();
  it.each(Object.entries(badScenarios))('%s gets one clear error', async (title, text) => {
    const { code, message } = await complaintOf(text);
    expect(`${code}\n${message}`).toBe(golden.get(title));
  });

  it('nothing in the golden file that is not tried', () => {
    expect([...golden.keys()]).toEqual(Object.keys(badScenarios));
  });

  it('thirteen faults has them all in its problems, though it shows ten', async () => {
    expect((await complaintOf(badScenarios['many faults at once'] ?? '')).problems).toBe(13);
  });

  it('bytes that are no UTF-8, or too many of them, is not even parsed', async () => {
    expect(await complaintOf(new Uint8Array([0x74, 0xff, 0xfe]))).toMatchObject({ code: 'input.not-utf8' });
    expect(await complaintOf(new Uint8Array(17 * 1024 * 1024))).toMatchObject({ code: 'input.too-large' });
  });
});
