import type { PkiFolder } from '../ca/pki-folder.ts';
import { writeLine, type Terminal } from './terminal.ts';
import { writeWarnings } from './warning.ts';

/** The folder of `--pki`. What it lacks is made; what is odd about it is said. */
export async function openedPki(dir: string, { stderr, clock }: Terminal): Promise<PkiFolder> {
  const { openPki } = await import('../ca/pki-folder.ts');
  const pki = await openPki(dir, { create: true, clock });
  writeWarnings(stderr, pki.warnings);
  if (pki.created.length > 0) writeLine(stderr, `${dir}: made ${pki.created.join(', ')}`);
  return pki;
}
