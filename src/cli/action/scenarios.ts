import { readFileSync } from 'node:fs';
import { ExitCode } from '../../errors.ts';
import { packagedScenarios, type PackagedScenario } from '../../script/packaged.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { textTable } from '../text-table.ts';

export interface ScenariosOptions {
  readonly search?: string;
  readonly names?: boolean;
  readonly json?: boolean;
}

/** `scenarios`. Exits 1 if a search finds nothing. */
export async function listScenarios({ stdout, stderr }: Terminal, { search, names, json }: ScenariosOptions): Promise<ExitCode> {
  const all = await packagedScenarios();
  const found = search === undefined ? all : all.filter((scenario) => isAbout(scenario, search));
  if (json) writeLine(stdout, JSON.stringify(found, undefined, 2));
  else if (names) found.forEach(({ name }) => writeLine(stdout, name));
  else if (found.length > 0) {
    writeLine(stdout, textTable(found.map(({ name, title }) => [name, title])));
    if (stdout.isTty) writeLine(stderr, '\nfake-istiod explain NAME says what one does; fake-istiod run NAME runs it.');
  } else writeLine(stderr, `No scenario is about "${search ?? ''}"; \`fake-istiod scenarios\` lists all ${all.length}.`);
  return found.length > 0 ? ExitCode.ok : ExitCode.unexpected;
}

/** The word in any case, in name, title, tags, or anywhere in the file. */
function isAbout({ name, title, tags, file }: PackagedScenario, word: string): boolean {
  const has = (text: string): boolean => text.toLowerCase().includes(word.toLowerCase());
  return [name, title, ...tags].some(has) || has(readFileSync(file, 'utf8'));
}
