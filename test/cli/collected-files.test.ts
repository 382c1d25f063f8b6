import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from './fake-terminal.ts';
import { noEnvoy } from './work-folder.ts';

// Real files of Istio, Envoy and others, which lie beside the checkout and are not part of it.
const cases = join(import.meta.dirname, '../../../shared/cases');
const collected = ['bootstraps', 'xds', 'config_dumps', 'meshconfig', 'injected']
  .map((name) => join(cases, name))
  .filter((folder) => existsSync(folder));

describe.skipIf(collected.length === 0)('check of collected files (skipped where ../shared/cases is not there)', () => {
  it.each(collected)(
    'never crashes and never says more than a line a finding: %s',
    async (folder) => {
      const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      for (const { name } of files) {
        const { code, stdout, stderr } = await cli(['check', join(folder, name)], { env: noEnvoy });
        expect([0, 1, 2], `${name}: ${stderr}`).toContain(code);
        expect(`${stdout}${stderr}`, name).not.toMatch(/\n\s+at |undefined|\[object/);
      }
    },
    30_000,
  );
});
