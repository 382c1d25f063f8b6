import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { packageRoot } from '../protobuf/package-root.ts';
import { nearestWord } from './nearest.ts';
import { fileOfFolder, scenarioFolder, scenariosOfFolder } from './scenario-folder.ts';

/** A scenario that comes with the package. */
export interface PackagedScenario {
  /** What `run` and `explain` take, e.g. `withhold-first-cds`. */
  readonly name: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** Absolute path. */
  readonly file: string;
}

function folder(): string {
  return join(packageRoot(), 'scenarios');
}

function names(): string[] {
  return readdirSync(folder())
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

/** The scenarios of the package and of `useScenarioFolder`, by name. Only their first lines are looked at: a scenario is checked when it is loaded. */
export async function packagedScenarios(): Promise<readonly PackagedScenario[]> {
  const { readDocument } = await import('../protobuf/document.ts');
  const own = scenariosOfFolder();
  const listed = [...own].map(([name, file]): PackagedScenario => {
    try {
      return { name, file, ...headOf(readDocument(file).value) };
    } catch {
      // Whoever runs it is told why; the others are listed all the same.
      return { name, file, title: `(cannot be read: ${file})`, tags: [] };
    }
  });
  const packaged = names().flatMap((name): PackagedScenario[] => {
    const file = join(folder(), `${name}.yaml`);
    return own.has(name) ? [] : [{ name, file, ...headOf(readDocument(file).value) }];
  });
  return [...listed, ...packaged].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function headOf(document: unknown): Pick<PackagedScenario, 'title' | 'tags'> {
  const head = typeof document === 'object' && document !== null ? (document as Readonly<Record<string, unknown>>) : {};
  const { title, tags } = head;
  return {
    title: typeof title === 'string' ? title : '',
    tags: Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [],
  };
}

/**
 * The file that a person means: a path if there is such a file, else the name of a scenario of `useScenarioFolder`, else of a packaged one.
 *
 * @throws FakeIstiodError `scenario.not-found` with the nearest names.
 */
export async function findScenario(nameOrPath: string): Promise<string> {
  if (existsSync(nameOrPath)) return nameOrPath;
  const own = fileOfFolder(nameOrPath);
  if (own !== undefined) return own;
  const packaged = join(folder(), `${nameOrPath}.yaml`);
  if (/^[\w-]+$/.test(nameOrPath) && existsSync(packaged)) return packaged;
  const near = nearestWord(nameOrPath.replace(/^.*[/\\]|\.ya?ml$/g, ''), [...scenariosOfFolder().keys(), ...names()]);
  const places = scenarioFolder() === undefined ? 'no packaged scenario' : `no scenario, in ${scenarioFolder()} or packaged,`;
  throw new FakeIstiodError('scenario.not-found', `there is no file ${nameOrPath}, and ${places} of that name`, {
    remedy: near
      ? `Did you mean ${near}? fake-istiod scenarios lists them all`
      : `fake-istiod scenarios lists ${scenarioFolder() === undefined ? 'the packaged ones' : 'them'}`,
  });
}
