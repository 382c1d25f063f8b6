import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cliReference } from '../../tools/cli-reference.ts';

it('docs/cli.md says what the commands say (`node tools/docs-cli.mjs` writes it)', () => {
  expect(readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')).toBe(cliReference());
});
