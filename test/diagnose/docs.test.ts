import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rules } from '../../src/diagnose/registry.ts';
import { checkout } from '../rules/source-imports.ts';

const page = join(checkout, 'docs/diagnosis.md');
const marks = /<!-- rules -->\n[\s\S]*<!-- end -->/;

function table(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const rows = rules.map(({ id, cause, symptom, rulesOut }) => `| ${[symptom, cause, rulesOut, `\`${id}\``].map(cell).join(' | ')} |`);
  return ['| what you see | cause | ruled out by | rule |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

describe('the table of causes', () => {
  it('has every rule in its folder, and each once', () => {
    const files = readdirSync(join(checkout, 'src/diagnose/rules')).map((file) => file.replace(/\.ts$/, ''));
    expect(rules.map(({ id }) => id).sort()).toEqual(files.sort());
  });

  it('in docs/diagnosis.md says what the rules say', () => {
    const wanted = `<!-- rules -->\n${table()}\n<!-- end -->`;
    if (process.env['UPDATE_GOLDEN'])
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(marks, () => wanted),
      );
    expect(marks.exec(readFileSync(page, 'utf8'))?.[0]).toBe(wanted);
  });

  it('refers only to rules that exist', () => {
    const ids = new Set(rules.map(({ id }) => id));
    expect(rules.flatMap(({ refines = [] }) => refines).filter((id) => !ids.has(id))).toEqual([]);
  });
});
