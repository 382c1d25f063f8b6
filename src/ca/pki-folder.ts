import { join } from 'node:path';
import { systemClock, type Clock } from '../clock.ts';
import type { CertificateFiles } from './certificate-files.ts';
import { readAuthority } from './authority-files.ts';
import { checkFolder, exposure, isThere, pkiFiles, pkiProblem, readJwks, readPrivateKey } from './pki-file.ts';
import { holdsKey, jwksOf, tokenKeyOf, type JsonWebKeySet, type TokenKey } from './token-key.ts';

/**
 * A certificate authority and a token signing key in a folder. The certificate files have Istio's names, so that a folder in the form of
 * its `cacerts` secret is one, too. Read when it was opened; what happens to the files later is not seen.
 */
export interface PkiFolder extends CertificateFiles {
  readonly dir: string;
  /** What the signing certificate says of itself (a URI `spiffe://<trust domain>` among its names), if anything. */
  readonly trustDomain: string | undefined;
  /** `token-key.pem`: signs service account tokens. Absent where tokens come from elsewhere. */
  readonly tokenKey: TokenKey | undefined;
  /** What tokens are checked with: `jwks.json`, else the public half of `tokenKey`. */
  readonly jwks: JsonWebKeySet | undefined;
  /** What is odd and yet works: a key that others may read, a certificate that has expired. A sentence each. */
  readonly warnings: readonly string[];
  /** The files that were made while opening, by name. */
  readonly created: readonly string[];
}

export interface OpenPkiOptions {
  /** Make what is missing: all of an authority where there is nothing of one, the token key where there is none. Default false. */
  readonly create?: boolean;
  /** Where an authority is made: with an intermediate that signs, the root's key thrown away. Default false. */
  readonly intermediate?: boolean;
  /** Where an authority is made. Default `cluster.local`. */
  readonly trustDomain?: string;
  readonly clock?: Clock;
}

/**
 * Opens a folder and checks that its files fit each other.
 *
 * @throws FakeIstiodError `input.unreadable`, `input.too-large`, `pki.invalid`; when creating `output.unwritable`, and `pki.invalid` if
 * an authority of another kind than asked for is there already
 */
export async function openPki(dir: string, options: OpenPkiOptions = {}): Promise<PkiFolder> {
  checkFolder(dir, options.create ?? false);
  const created = options.create ? await (await import('./pki-creation.ts')).createMissing(dir, options) : [];
  const authority = readAuthority(dir, (options.clock ?? systemClock).date());
  const tokens = readTokenKeys(dir);
  return { dir, ...authority, ...tokens, warnings: [...authority.warnings, ...tokens.warnings], created };
}

function readTokenKeys(dir: string): Pick<PkiFolder, 'tokenKey' | 'jwks' | 'warnings'> {
  const [keyFile, jwksFile] = [join(dir, pkiFiles.tokenKey), join(dir, pkiFiles.jwks)];
  const jwks = isThere(jwksFile) ? readJwks(jwksFile) : undefined;
  if (!isThere(keyFile)) return { tokenKey: undefined, jwks, warnings: [] };
  const key = readPrivateKey(keyFile);
  const tokenKey = tokenKeyOf(key);
  if (!tokenKey)
    throw pkiProblem(
      keyFile,
      `is a key of kind ${key.asymmetricKeyType ?? '?'}, which signs no tokens`,
      'RSA, EC P-256, P-384, P-521 and Ed25519 do',
    );
  if (jwks && !holdsKey(jwks, tokenKey)) {
    throw pkiProblem(
      jwksFile,
      `does not hold the public half of ${pkiFiles.tokenKey}: tokens signed here would be refused`,
      `Remove ${pkiFiles.jwks}; \`fake-istiod ca init --pki ${dir}\` makes it anew`,
    );
  }
  return { tokenKey, jwks: jwks ?? jwksOf(tokenKey), warnings: exposure(keyFile) };
}
