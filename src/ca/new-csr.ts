import { formatSpiffeId, type SpiffeId } from './spiffe-id.ts';
import { keyAlgorithm, loadX509, makeKeys } from './x509.ts';

/**
 * A certificate signing request (PEM, PKCS #10) with a new key, as pilot-agent makes one: an empty organisation for a subject, the
 * identity as its one name (istio security/pkg/pki/util/generate_csr.go).
 */
export async function makeCsr(identity: SpiffeId): Promise<string> {
  const x509 = await loadX509();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [''] }],
    keys: await makeKeys(),
    signingAlgorithm: keyAlgorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'url', value: formatSpiffeId(identity) }], true)],
  });
  return `${request.toString('pem')}\n`;
}
