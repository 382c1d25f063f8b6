import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout } from './source-imports.ts';

const pages = execFileSync('git', ['ls-files', '-z', '--', '*.md'], { cwd: checkout, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(checkout, file)));
const textOf = (page: string): string => readFileSync(join(checkout, page), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

/** Targets of links within the repository, without what follows `#`. */
function linksOf(page: string): readonly string[] {
  const targets = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:|^#/.test(target)).map((target) => target.replace(/#.*$/, ''));
}

/** The lines of a page's shell blocks, without comments. */
function shellLines(page: string): readonly string[] {
  const blocks = [...textOf(page).matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return blocks
    .flatMap((code) => code.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter(Boolean);
}

describe('the docs', () => {
  it('link only to what is there', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((target) => !existsSync(join(checkout, dirname(page), target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only npm scripts that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
    const named = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\bnpm run ([a-z][a-z:-]*)/g)].map(([, script = '']) => ({ page, script })),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ script }) => scripts[script] === undefined)).toEqual([]);
  });

  it('begin, in the README, with the two commands that work on a fresh machine', () => {
    expect(shellLines('README.md').slice(0, 2)).toEqual(['npm run demo', 'npm test']);
  });

  it('have reference pages that say what the source says', { timeout: 20_000 }, () => {
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'tools/docs.mjs'), '--check'], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
