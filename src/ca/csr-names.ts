import { pemBlocks } from './pem.ts';
import { maxCsrBytes } from './csr.ts';
import { parseSpiffeId, type SpiffeId } from './spiffe-id.ts';
import { loadX509 } from './x509.ts';

/** Who a request (PEM, PKCS #10) says that it is for. Undefined if it says nothing of the kind, or is none. Nothing of it is proved. */
export async function claimedIdentity(csrPem: string): Promise<SpiffeId | undefined> {
  const [block] = csrPem.length > maxCsrBytes ? [] : pemBlocks(csrPem);
  if (!block) return undefined;
  const { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } = await loadX509();
  try {
    const request = new Pkcs10CertificateRequest(new Uint8Array(block.der));
    const names = request.extensions.find((extension) => extension instanceof SubjectAlternativeNameExtension)?.names.items ?? [];
    return names.map(({ value }) => parseSpiffeId(value)).find((identity) => identity !== undefined);
  } catch {
    return undefined;
  }
}
