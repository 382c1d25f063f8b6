import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../protobuf/package-root.ts';
import { scenarioFromCompiled } from '../script/compiled-scenario.ts';
import { fileOfFolder } from '../script/scenario-folder.ts';
import type { Scenario } from '../script/scenario.ts';

/**
 * A scenario of the package as it was compiled at build time, by path or name: without YAML, schema and descriptors, which take longer
 * to load than all the rest. Undefined for any other file, also for one of these that was changed since: it goes by the content's hash.
 */
export function compiledScenario(nameOrPath: string, maxInputBytes: number): Scenario | undefined {
  // Only the shipped bundle was built together with them.
  if (!import.meta.url.includes('/dist/bin/')) return undefined;
  const file = existsSync(nameOrPath) ? nameOrPath : (fileOfFolder(nameOrPath) ?? packagedFile(nameOrPath));
  if (file === undefined || !isSmallFile(file, maxInputBytes)) return undefined;
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  const compiled = join(packageRoot(), 'dist/scenarios', `${hash}.json`);
  return existsSync(compiled) ? scenarioFromCompiled(readFileSync(compiled, 'utf8'), file) : undefined;
}

function packagedFile(name: string): string | undefined {
  const file = join(packageRoot(), 'scenarios', `${name}.yaml`);
  return /^[\w-]+$/.test(name) && existsSync(file) ? file : undefined;
}

function isSmallFile(file: string, maxBytes: number): boolean {
  const stat = statSync(file);
  return stat.isFile() && stat.size <= Math.min(maxBytes, 64 * 1024);
}
