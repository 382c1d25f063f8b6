import type { PublicKey } from '@peculiar/x509';
import { pemBlocks } from './pem.ts';
import { loadX509 } from './x509.ts';

/**
 * Why no certificate is signed: the request (`csr`), the lifetime it asks for (`ttl`), or the authority itself (`generation`).
 * istiod answers the first two with status 3 and the last with 13 (istio security/pkg/pki/error).
 */
export type CsrFailure = 'csr' | 'ttl' | 'generation';

/** A certificate request that is refused. `message` is istiod's text, which says little; `detail` is the real reason, for our log. */
export class CsrError extends Error {
  override readonly name = 'CsrError';
  readonly kind: CsrFailure;
  readonly detail: string;

  constructor(kind: CsrFailure, message: string, detail: string) {
    super(message);
    this.kind = kind;
    this.detail = detail;
  }

  /** The status text of `CreateCertificate` (istio security/pkg/server/ca/server.go). */
  get statusText(): string {
    return `CSR signing error (${this.message})`;
  }
}

/** Far above any key in use: RSA 16384 makes 6 KiB. What is larger is not even decoded. */
export const maxCsrBytes = 64 * 1024;

const notEncoded = 'certificate signing request is not properly encoded';
const notParsed = 'failed to parse X.509 certificate signing request';

/** What Go's crypto/x509 calls a signature that does not match, for each kind of key. */
const mismatchText: Readonly<Record<string, string>> = {
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
};

/**
 * The public key of a request whose own signature proves that the sender holds the private key. Names in it are not read.
 *
 * @throws CsrError of kind `csr`
 */
export async function readCsr(pem: string): Promise<PublicKey> {
  const der = derOf(pem);
  const { Pkcs10CertificateRequest } = await loadX509();
  let request: InstanceType<typeof Pkcs10CertificateRequest>;
  let key: PublicKey;
  try {
    request = new Pkcs10CertificateRequest(new Uint8Array(der));
    key = request.publicKey;
  } catch (error) {
    throw new CsrError('csr', notParsed, `the PEM block holds no PKCS #10 request: ${reasonOf(error)}`);
  }
  let matches: boolean;
  try {
    matches = await request.verify();
  } catch (error) {
    throw new CsrError(
      'csr',
      'x509: cannot verify signature: algorithm unimplemented',
      `its signature cannot be checked: ${reasonOf(error)}`,
    );
  }
  if (matches) return key;
  throw new CsrError(
    'csr',
    mismatchText[key.algorithm.name] ?? 'crypto/rsa: verification error',
    'its signature is not by the key it holds',
  );
}

function derOf(pem: string): Uint8Array {
  if (pem.length > maxCsrBytes) throw new CsrError('csr', notParsed, `it is ${pem.length} bytes, more than ${maxCsrBytes}`);
  const [block] = pemBlocks(pem);
  if (!block) throw new CsrError('csr', notEncoded, pem === '' ? 'it is empty' : 'there is no PEM block in it');
  if (/^\s*-----BEGIN /.test(Buffer.from(block.der.subarray(0, 64)).toString('latin1'))) {
    throw new CsrError('csr', notParsed, 'the PEM block holds PEM once more: it was encoded twice');
  }
  return block.der;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? '';
}
