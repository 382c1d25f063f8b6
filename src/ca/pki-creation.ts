import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { isThere, makeFolder, pkiFiles, pkiProblem, readPrivateKey, reasonOf } from './pki-file.ts';
import type { OpenPkiOptions } from './pki-folder.ts';
import { makeCertificateFiles } from './signer.ts';
import { defaultTrustDomain } from './spiffe-id.ts';
import { jwksOf, tokenKeyOf } from './token-key.ts';

/** Name and text of a file that is not there yet. */
type NewFile = readonly [name: string, text: string];

/** Files that hold a private key; nobody but the owner may read them. */
const secret: readonly string[] = [pkiFiles.key, pkiFiles.tokenKey];

/**
 * Makes what a folder lacks, and changes nothing that is there. Gives the names of the new files.
 *
 * @throws FakeIstiodError `output.unwritable`, `pki.invalid` if there is an authority already and another kind of one was asked for
 */
export async function createMissing(dir: string, options: OpenPkiOptions): Promise<readonly string[]> {
  const files = [...(await missingAuthority(dir, options)), ...missingTokenKeys(dir)];
  if (files.length > 0) writing(dir, () => makeFolder(dir));
  for (const [name, text] of files) {
    const file = join(dir, name);
    // Never over a file that somebody made in the meantime.
    writing(file, () => writeFileSync(file, text, { flag: 'wx', mode: secret.includes(name) ? 0o600 : 0o644 }));
  }
  return files.map(([name]) => name);
}

async function missingAuthority(
  dir: string,
  { clock = systemClock, trustDomain, intermediate }: OpenPkiOptions,
): Promise<readonly NewFile[]> {
  const there = [pkiFiles.certificate, pkiFiles.key, pkiFiles.root].filter((name) => isThere(join(dir, name)));
  if (there.length > 0) {
    if (trustDomain === undefined && !intermediate) return [];
    throw pkiProblem(dir, `holds an authority already (${there.join(', ')}), which stays as it is`, 'Name another folder for a new one');
  }
  const made = await makeCertificateFiles(clock, trustDomain ?? defaultTrustDomain, intermediate);
  return [
    [pkiFiles.key, made.keyPem],
    [pkiFiles.certificate, made.certificatePem],
    [pkiFiles.root, made.rootPem],
    ...(made.chainPem.length > 0 ? [[pkiFiles.chain, made.chainPem.join('')] as const] : []),
  ];
}

function missingTokenKeys(dir: string): readonly NewFile[] {
  // Keys to check with and none to sign with: tokens come from elsewhere.
  if (isThere(join(dir, pkiFiles.jwks))) return [];
  const keyFile = join(dir, pkiFiles.tokenKey);
  const isNew = !isThere(keyFile);
  const privateKey = isNew ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : readPrivateKey(keyFile);
  const key = tokenKeyOf(privateKey);
  if (!key) return [];
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return [...(isNew ? [[pkiFiles.tokenKey, keyPem] as const] : []), [pkiFiles.jwks, `${JSON.stringify(jwksOf(key), undefined, 2)}\n`]];
}

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new FakeIstiodError('output.unwritable', `${path} cannot be written: ${reasonOf(cause)}`, {
      remedy: 'Name a folder that you may write to',
      cause,
    });
  }
}
