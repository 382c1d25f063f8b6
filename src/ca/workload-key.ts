import { createPrivateKey } from 'node:crypto';
import { formatSpiffeId, type SpiffeId } from './spiffe-id.ts';
import { loadX509 } from './x509.ts';

/** What kind of key a workload makes for itself (istio pilot/cmd/pilot-agent/options: WORKLOAD_RSA_KEY_SIZE, ECC_SIGNATURE_ALGORITHM, ECC_CURVE). */
export type WorkloadKey = { readonly kind: 'rsa'; readonly bits: number } | { readonly kind: 'ec'; readonly curve: 'P-256' | 'P-384' };

/** A request and the key that it proves. */
export interface CsrWithKey {
  /** PEM, PKCS #10. */
  readonly csr: string;
  /** PEM. */
  readonly privateKey: string;
}

/** As WebCrypto says it; `hash` is that of the request's own signature. */
function algorithmOf(key: WorkloadKey): { readonly name: string; readonly hash: string } {
  if (key.kind === 'ec') {
    const hash = key.curve === 'P-384' ? 'SHA-384' : 'SHA-256';
    return Object.assign({ name: 'ECDSA', hash }, { namedCurve: key.curve });
  }
  const exponent = { publicExponent: new Uint8Array([1, 0, 1]), modulusLength: key.bits };
  return Object.assign({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, exponent);
}

/**
 * A new key and a request for `identity`, as pilot-agent makes them: an empty organisation for a subject, the identity as its one name
 * (istio security/pkg/pki/util/generate_csr.go).
 *
 * @param form how the key is written; `traditional` is PKCS #1 for RSA and SEC 1 for EC
 */
export async function makeCsrWithKey(identity: SpiffeId, key: WorkloadKey, form: 'traditional' | 'pkcs8' = 'pkcs8'): Promise<CsrWithKey> {
  const x509 = await loadX509();
  const signingAlgorithm = algorithmOf(key);
  const keys = await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  if (!('privateKey' in keys)) throw new TypeError('a signing algorithm makes a pair of keys');
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: [''] }],
    keys,
    signingAlgorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'url', value: formatSpiffeId(identity) }], true)],
  });
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const type = form === 'pkcs8' ? 'pkcs8' : key.kind === 'rsa' ? 'pkcs1' : 'sec1';
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type, format: 'pem' }).toString();
  return { csr: `${request.toString('pem')}\n`, privateKey };
}
