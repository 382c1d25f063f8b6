import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledText, scenarioFromCompiled } from '../../src/script/compiled-scenario.ts';
import { loadScenario } from '../../src/script/load.ts';

const folder = join(import.meta.dirname, '../../scenarios');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

describe('a compiled scenario', () => {
  it.each(files)('is the one that was read: %s', async (name) => {
    const read = await loadScenario(join(folder, name));
    expect(scenarioFromCompiled(compiledText(read), join(folder, name))).toStrictEqual(read);
  });

  it('names the file that it is asked for, wherever the package lies', async () => {
    const text = compiledText(await loadScenario(join(folder, 'ready.yaml')));
    expect(text).not.toContain(folder);
    const { file, expectations } = scenarioFromCompiled(text, '/elsewhere/ready.yaml');
    expect(file).toBe('/elsewhere/ready.yaml');
    expect(expectations[0]?.at?.file).toBe('/elsewhere/ready.yaml');
  });

  it('is frozen, as a scenario is', async () => {
    const { steps, istiod } = scenarioFromCompiled(compiledText(await loadScenario(join(folder, 'nack-then-fix.yaml'))), 'x.yaml');
    expect([steps, steps[0], istiod].map((value) => Object.isFrozen(value))).toEqual([true, true, true]);
  });
});
