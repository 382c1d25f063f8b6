import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url));
const source = join(checkout, 'src');

/** One import of one file of `src/` by another; paths are relative to `src/`, with `/`. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** True if nothing is left of it at run time. */
  readonly typeOnly: boolean;
  /** True if it is loaded when needed, by `import()`. */
  readonly lazy: boolean;
}

const statement = /^[ \t]*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'/gm;
const call = /\bimport\(\s*'(\.[^']+)'\s*\)/g;

/** All files of `src/`, relative to it. */
export function sourceFiles(): readonly string[] {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).sort();
}

/** Every relative import in `src/`. */
export function importsOf(files: readonly string[]): readonly Import[] {
  return files.flatMap((from) => {
    const text = readFileSync(join(source, from), 'utf8');
    const target = (specifier: string): string => relative(source, join(source, dirname(from), specifier));
    const stated = [...text.matchAll(statement)].map(([, type, specifier = '']) => ({
      from,
      to: target(specifier),
      typeOnly: type !== undefined,
      lazy: false,
    }));
    const called = [...text.matchAll(call)].map(([, specifier = '']) => ({ from, to: target(specifier), typeOnly: false, lazy: true }));
    return [...stated, ...called];
  });
}
