import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { packageRoot } from '../protobuf/package-root.ts';
import { nearestWord } from './nearest.ts';

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

/** The scenarios of the package, by name. Only their first lines are looked at: a scenario is checked when it is loaded. */
export async function packagedScenarios(): Promise<readonly PackagedScenario[]> {
  const { readDocument } = await import('../protobuf/document.ts');
  return names().map((name) => {
    const file = join(folder(), `${name}.yaml`);
    const { title = '', tags = [] } = readDocument(file).value as { title?: string; tags?: readonly string[] };
    return { name, title, tags, file };
  });
}

/**
 * The file that a person means: a path if there is such a file, else a packaged scenario's name.
 *
 * @throws FakeIstiodError `scenario.not-found` with the nearest names.
 */
export async function findScenario(nameOrPath: string): Promise<string> {
  if (existsSync(nameOrPath)) return nameOrPath;
  const packaged = join(folder(), `${nameOrPath}.yaml`);
  if (/^[\w-]+$/.test(nameOrPath) && existsSync(packaged)) return packaged;
  const near = nearestWord(nameOrPath.replace(/^.*[/\\]|\.ya?ml$/g, ''), names());
  throw new FakeIstiodError('scenario.not-found', `there is no file ${nameOrPath}, and no packaged scenario of that name`, {
    remedy: near ? `Did you mean ${near}? fake-istiod scenarios lists them all` : 'fake-istiod scenarios lists the packaged ones',
  });
}
