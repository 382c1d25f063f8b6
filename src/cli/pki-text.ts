import { certificateFacts, keyText, type CertificateFacts } from '../ca/certificate-facts.ts';
import { pkiFiles } from '../ca/pki-file.ts';
import type { PkiFolder } from '../ca/pki-folder.ts';
import { certificatePems } from '../ca/pem.ts';
import { textTable } from './text-table.ts';

/** What `ca show` tells of a folder. */
export interface PkiFacts {
  readonly folder: string;
  /** As the signing certificate says it; null if it says nothing. */
  readonly trustDomain: string | null;
  readonly roots: readonly CertificateFacts[];
  /** The certificate that signs. */
  readonly signer: CertificateFacts;
  /** What goes between a leaf and the root. */
  readonly chain: readonly CertificateFacts[];
  /** What tokens are signed with, if here. */
  readonly tokenKey: { readonly kid: string; readonly algorithm: string; readonly key: string } | null;
  /** The names of the keys that tokens are checked with. */
  readonly tokenKeyIds: readonly string[];
}

/** The facts of a folder; no secret is among them. */
export function pkiFacts({ dir, trustDomain, rootPem, certificatePem, chainPem, tokenKey, jwks }: PkiFolder): PkiFacts {
  return {
    folder: dir,
    trustDomain: trustDomain ?? null,
    roots: certificatePems(rootPem).map(certificateFacts),
    signer: certificateFacts(certificatePem),
    chain: chainPem.map(certificateFacts),
    tokenKey: tokenKey ? { kid: tokenKey.kid, algorithm: tokenKey.algorithm, key: keyText(tokenKey.privateKey) } : null,
    tokenKeyIds: (jwks?.keys ?? []).map(({ kid }) => (typeof kid === 'string' ? kid : '(no kid)')),
  };
}

/** The facts for people: a paragraph for each file. */
export function pkiText(facts: PkiFacts): string {
  const { folder, trustDomain, roots, signer, chain, tokenKey, tokenKeyIds } = facts;
  const signsItself = roots.some(({ sha256 }) => sha256 === signer.sha256);
  const others = chain.filter(({ sha256 }) => sha256 !== signer.sha256);
  const paragraphs = [
    `${folder}: an authority ${trustDomain === null ? 'that names no trust domain' : `of trust domain ${trustDomain}`}, where ${signsItself ? 'the root itself signs' : 'an intermediate signs'}`,
    ...roots.filter(({ sha256 }) => sha256 !== signer.sha256).map((root) => certificateText(pkiFiles.root, root)),
    certificateText(signsItself ? `${pkiFiles.root}, ${pkiFiles.certificate}` : pkiFiles.certificate, signer),
    ...others.map((one) => certificateText(pkiFiles.chain, one)),
    tokenKey
      ? `${pkiFiles.tokenKey}\n${textTable(
          [
            ['signs tokens', tokenKey.algorithm],
            ['key', tokenKey.key],
            ['kid', tokenKey.kid],
          ],
          '  ',
        )}`
      : 'No token key: tokens come from elsewhere.',
    ...(tokenKeyIds.length > 0
      ? [
          `${pkiFiles.jwks}\n${textTable(
            tokenKeyIds.map((kid) => ['checks tokens', kid]),
            '  ',
          )}`,
        ]
      : []),
  ];
  return paragraphs.join('\n\n');
}

function certificateText(
  file: string,
  { subject, issuer, names, validFrom, validTo, key, serialNumber, sha256 }: CertificateFacts,
): string {
  const rows = [
    ['subject', subject || '(none)'],
    ...(issuer === subject ? [] : [['issuer', issuer]]),
    ...names.map((name) => ['name', name]),
    ['valid from', validFrom],
    ['valid to', validTo],
    ['key', key],
    ['serial', serialNumber],
    ['SHA-256', sha256],
  ];
  return `${file}\n${textTable(rows, '  ')}`;
}
