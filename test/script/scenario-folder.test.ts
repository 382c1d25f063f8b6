import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findScenario, packagedScenarios } from '../../src/script/packaged.ts';
import { useScenarioFolder } from '../../src/script/scenario-folder.ts';

/** A folder in use for the length of a test, with these files. */
function used(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  useScenarioFolder(dir);
  onTestFinished(() => {
    useScenarioFolder(undefined);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

describe('a folder of scenarios of ones own', () => {
  it('has its scenarios found by name, with either ending', async () => {
    const dir = used({ 'mine.yaml': 'title: Mine', 'other.yml': 'title: Other' });
    expect(await findScenario('mine')).toBe(join(dir, 'mine.yaml'));
    expect(await findScenario('other')).toBe(join(dir, 'other.yml'));
  });

  it('goes before the package, whose other scenarios stay', async () => {
    const dir = used({ 'ready.yaml': 'title: Mine' });
    expect(await findScenario('ready')).toBe(join(dir, 'ready.yaml'));
    expect(basename(await findScenario('never-ready'))).toBe('never-ready.yaml');
    const all = await packagedScenarios();
    expect(all.filter(({ name }) => name === 'ready').map(({ title }) => title)).toEqual(['Mine']);
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).sort());
    expect(all.map(({ name }) => name)).toContain('never-ready');
  });

  it('is named, with the nearest name in it, where there is no such scenario', async () => {
    const dir = used({ 'my-mesh.yaml': 'title: Mine' });
    await expect(findScenario('my-mash')).rejects.toThrow(
      `there is no file my-mash, and no scenario, in ${dir} or packaged, of that name. Did you mean my-mesh? fake-istiod scenarios lists them all`,
    );
  });

  it('may be gone, hold folders and files that are none, and a scenario that is broken', async () => {
    const dir = used({ 'notes.txt': 'x', 'broken.yaml': 'a: [', 'list.yaml': '[1]' });
    mkdirSync(join(dir, 'folder.yaml'));
    const names = (await packagedScenarios()).map(({ name, title }) => `${name}: ${title}`);
    expect(names).toContain(`broken: (cannot be read: ${join(dir, 'broken.yaml')})`);
    expect(names).toContain('list: ');
    expect(names.filter((name) => /notes|folder/.test(name))).toEqual([]);
    await expect(findScenario('folder')).rejects.toThrow(`${join(dir, 'folder.yaml')} is a folder. Docker makes one`);
    rmSync(dir, { recursive: true });
    await expect(findScenario('broken')).rejects.toMatchObject({ code: 'scenario.not-found' });
    expect((await packagedScenarios()).map(({ name }) => name)).not.toContain('broken');
  });
});
