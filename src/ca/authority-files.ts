import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { CertificateFiles } from './certificate-files.ts';
import { isSame, leadsTo } from './certificate-path.ts';
import { exposure, isThere, pkiFiles, pkiProblem, readCertificates, readPrivateKey, type ReadCertificate } from './pki-file.ts';
import { trustDomainOf } from './spiffe-id.ts';
import { signingAlgorithm } from './x509.ts';

/** What the certificate files of a folder hold. */
export interface ReadAuthority extends CertificateFiles {
  readonly trustDomain: string | undefined;
  readonly warnings: readonly string[];
}

/** The files of one authority, before it is known whether they fit each other. */
interface Parts {
  readonly dir: string;
  readonly signer: ReadCertificate;
  readonly key: KeyObject;
  readonly roots: readonly ReadCertificate[];
  /** Absent where there is no such file. */
  readonly chain: readonly ReadCertificate[] | undefined;
}

/** Reads an authority and checks that its files fit each other. Errors `input.unreadable`, `input.too-large`, `pki.invalid`. */
export function readAuthority(dir: string, now: Date): ReadAuthority {
  const parts = readParts(dir);
  const { signer, key, roots, chain } = parts;
  checkSigner(parts);
  checkPath(parts);
  return {
    certificatePem: signer.pem,
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chainPem: chain?.map(({ pem }) => pem) ?? (isRoot(parts) ? [] : [signer.pem]),
    rootPem: roots.map(({ pem }) => pem).join(''),
    trustDomain: trustDomainIn(signer.certificate),
    warnings: [...chainRemark(parts), ...datesRemarks(parts, now), ...exposure(join(dir, pkiFiles.key))],
  };
}

function readParts(dir: string): Parts {
  const chainFile = join(dir, pkiFiles.chain);
  const [signer] = readCertificates(join(dir, pkiFiles.certificate));
  if (!signer) throw pkiProblem(join(dir, pkiFiles.certificate), 'holds no certificate');
  return {
    dir,
    signer,
    key: readPrivateKey(join(dir, pkiFiles.key)),
    roots: readCertificates(join(dir, pkiFiles.root)),
    chain: isThere(chainFile) ? readCertificates(chainFile) : undefined,
  };
}

function checkSigner({ dir, signer: { certificate }, key }: Parts): void {
  const [certificateFile, keyFile] = [join(dir, pkiFiles.certificate), join(dir, pkiFiles.key)];
  if (!certificate.checkPrivateKey(key)) {
    throw pkiProblem(keyFile, `is not the key of ${pkiFiles.certificate}`, 'Take both files from the same place');
  }
  if (!certificate.ca) {
    throw pkiProblem(
      certificateFile,
      'may not sign certificates (basic constraints: CA is not TRUE)',
      'Give the certificate of an authority, not that of a server',
    );
  }
  if (!signingAlgorithm(key)) {
    const kind = key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? 'unknown';
    throw pkiProblem(keyFile, `is a key of kind ${kind}, which cannot sign here`, 'RSA, EC P-256, P-384, P-521 and Ed25519 can');
  }
}

function checkPath({ dir, signer, roots, chain }: Parts): void {
  const certificates = (list: readonly ReadCertificate[]): readonly X509Certificate[] => list.map(({ certificate }) => certificate);
  if (leadsTo(signer.certificate, certificates(chain ?? []), certificates(roots))) return;
  throw pkiProblem(
    join(dir, pkiFiles.certificate),
    `no signatures lead from it to a certificate in ${pkiFiles.root}`,
    `Put the root into ${pkiFiles.root}, and what lies between into ${pkiFiles.chain}`,
  );
}

const isRoot = ({ signer, roots }: Parts): boolean => roots.some(({ certificate }) => isSame(certificate, signer.certificate));

function chainRemark(parts: Parts): readonly string[] {
  const { dir, signer, chain } = parts;
  if (!chain || isRoot(parts) || chain.some(({ certificate }) => isSame(certificate, signer.certificate))) return [];
  return [`${join(dir, pkiFiles.chain)} lacks ${pkiFiles.certificate}: who knows the root alone cannot check what is signed here`];
}

function datesRemarks({ dir, signer, roots }: Parts, now: Date): readonly string[] {
  const others = roots.filter(({ certificate }) => !isSame(certificate, signer.certificate));
  return [
    ...dateRemark(signer.certificate, join(dir, pkiFiles.certificate), now),
    ...others.flatMap(({ certificate }) => dateRemark(certificate, join(dir, pkiFiles.root), now)),
  ];
}

function dateRemark(certificate: X509Certificate, file: string, now: Date): readonly string[] {
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  if (to < now) return [`${file} has expired on ${to.toISOString()}`];
  return from > now ? [`${file} is not valid before ${from.toISOString()}`] : [];
}

function trustDomainIn({ subjectAltName }: X509Certificate): string | undefined {
  const uri = /(?:^|, )URI:([^,"]+)/.exec(subjectAltName ?? '')?.[1];
  return uri === undefined ? undefined : trustDomainOf(uri);
}
