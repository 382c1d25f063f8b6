import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for this test alone, with these files; gone when the test is over. Concurrent tests hand in their own `whenFinished`. */
export function workFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  whenFinished: (task: () => void) => void = onTestFinished,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** An environment in which there is no Envoy and none can be had. */
export const noEnvoy: NodeJS.ProcessEnv = { PATH: '', XDG_CACHE_HOME: '/nonexistent' };
