import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateWithKey } from '../ca/authority.ts';
import { isThere, makeFolder, pkiFiles, reasonOf } from '../ca/pki-file.ts';
import { FakeIstiodError } from '../errors.ts';

/**
 * Writes what a workload proves itself with, under the names that istioctl and pilot-agent read: `key.pem` (mode 0600), `cert-chain.pem`,
 * `root-cert.pem`. Each is replaced in one step, so that who watches the folder never reads half a file. Gives the names.
 *
 * @throws FakeIstiodError `output.unwritable`, `usage.invalid` for the folder of an authority, whose own files have the same names
 */
export function writeIdentityFiles(dir: string, { certificatePem, privateKeyPem }: CertificateWithKey, rootPem: string): readonly string[] {
  if (isThere(join(dir, pkiFiles.key))) {
    throw new FakeIstiodError(
      'usage.invalid',
      `${dir} is the folder of an authority, whose own cert-chain.pem and root-cert.pem would be overwritten`,
      {
        remedy: 'Name another folder by --out',
      },
    );
  }
  const files = [
    ['key.pem', privateKeyPem, 0o600],
    ['cert-chain.pem', certificatePem, 0o644],
    ['root-cert.pem', rootPem, 0o644],
  ] as const;
  try {
    makeFolder(dir);
    for (const [name, text, mode] of files) replaceFile(join(dir, name), text, mode);
  } catch (cause) {
    throw new FakeIstiodError('output.unwritable', `${dir} cannot be written to: ${reasonOf(cause)}`, {
      remedy: 'Name a folder that you may write to',
      cause,
    });
  }
  return files.map(([name]) => name);
}

function replaceFile(file: string, text: string, mode: number): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode, flag: 'wx' });
    renameSync(fresh, file);
  } finally {
    rmSync(fresh, { force: true });
  }
}
