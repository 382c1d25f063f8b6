import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/**
 * The file behind `fake-istiod`: reads the program from `lib/` beside it, compiled ahead where the build did that for this very V8. Compiling
 * is half of what a start takes.
 */
const library = join(__dirname, 'lib');
const compiled = join(__dirname, 'compiled', `${process.versions.v8}-${process.arch}`);
const plainRequire = module.createRequire(join(library, 'program.js'));
const loaded = new Map<string, { exports: unknown }>();

function read(name: string): unknown {
  if (!name.startsWith('./')) return plainRequire(name);
  const known = loaded.get(name);
  if (known) return known.exports;
  const filename = join(library, name);
  const aheadOfTime = join(compiled, `${name}.bin`);
  const cachedData = existsSync(aheadOfTime) ? readFileSync(aheadOfTime) : undefined;
  // In one line with the code, so that lines are counted as in the file.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(filename, 'utf8')}\n})`;
  const script = new Script(source, { filename, ...(cachedData ? { cachedData } : {}) });
  const made = { exports: {} };
  loaded.set(name, made);
  (script.runInThisContext() as (...scope: unknown[]) => void)(made.exports, read, made, filename, library);
  return made.exports;
}

if (existsSync(compiled)) read('./program.js');
else {
  // Node 22 keeps what it has compiled in a folder of its own, if it is asked to.
  const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
  enableCompileCache?.();
  plainRequire('./program.js');
}
