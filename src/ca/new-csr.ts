import type { SpiffeId } from './spiffe-id.ts';
import { makeCsrWithKey } from './workload-key.ts';

/** A certificate signing request (PEM, PKCS #10) with a new EC key that nobody keeps, otherwise as pilot-agent makes one. */
export async function makeCsr(identity: SpiffeId): Promise<string> {
  return (await makeCsrWithKey(identity, { kind: 'ec', curve: 'P-256' })).csr;
}
