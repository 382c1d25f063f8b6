import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const built = new URL('../../dist/bin', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** What this very Node looks for. */
const forThisV8 = `${process.versions.v8}-${process.arch}`;

describe('The built command', () => {
  let folder: string;
  const compiled = () => join(folder, 'dist/bin/compiled');

  beforeEach(() => {
    if (!existsSync(built)) throw new Error('this test is about dist/; build it: npm run build');
    folder = mkdtempSync(join(tmpdir(), 'fake-istiod-entry-'));
    cpSync(built, join(folder, 'dist/bin'), { recursive: true });
    cpSync(new URL('../../package.json', import.meta.url).pathname, join(folder, 'package.json'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const versionSaid = async () => {
    const command = join(folder, 'dist/bin/fake-istiod.js');
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [command, '--version'], {
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'kept-by-node') },
    });
    return stdout + stderr;
  };

  it('takes what was compiled ahead for this V8', async () => {
    // Compiled code has its constants in it: which of the two is run can be seen.
    const program = join(folder, 'dist/bin/lib/program.js');
    writeFileSync(program, 'console.log("from the file")');
    rmSync(compiled(), { recursive: true });
    expect(await versionSaid()).toBe('from the file\n');
    mkdirSync(join(compiled(), forThisV8), { recursive: true });
    // V8 tells what belongs to a source by its length.
    const other = new Script('(function(exports,require,module,__filename,__dirname){console.log("taken ahead!!")\n})');
    const isCalled = vi.spyOn(console, 'log').mockReturnValue();
    (other.runInThisContext() as () => void)();
    expect(isCalled).toHaveBeenCalledOnce();
    isCalled.mockRestore();
    writeFileSync(join(compiled(), forThisV8, 'program.js.bin'), other.createCachedData());
    expect(await versionSaid()).toBe('taken ahead!!\n');
  });

  it('has no import() of its own, which Node 20 refuses to a script that was compiled ahead', () => {
    expect(readFileSync(join(folder, 'dist/bin/lib/program.js'), 'utf8')).not.toMatch(/\bimport\(["'`]/);
  });

  it('compiles by itself what another V8 has compiled, or nobody', async () => {
    mkdirSync(join(compiled(), forThisV8), { recursive: true });
    writeFileSync(join(compiled(), forThisV8, 'program.js.bin'), 'nothing that V8 ever wrote');
    expect(await versionSaid()).toBe(`${version}\n`);
    rmSync(compiled(), { recursive: true });
    expect(await versionSaid()).toBe(`${version}\n`);
  });
});
