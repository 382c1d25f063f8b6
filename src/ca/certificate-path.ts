import type { X509Certificate } from 'node:crypto';

/** Whether a chain of signatures leads from `certificate` over some of `between` to one of `roots`. Times are not looked at. */
export function leadsTo(certificate: X509Certificate, between: readonly X509Certificate[], roots: readonly X509Certificate[]): boolean {
  const reached = [certificate];
  const open = new Set(between);
  for (const current of reached) {
    if (roots.some((root) => isSame(root, current) || isIssuedBy(current, root))) return true;
    for (const issuer of open) {
      if (!isIssuedBy(current, issuer)) continue;
      open.delete(issuer);
      reached.push(issuer);
    }
  }
  return false;
}

/** Whether both are the same certificate, byte for byte. */
export function isSame(one: X509Certificate, other: X509Certificate): boolean {
  return one.fingerprint256 === other.fingerprint256;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
