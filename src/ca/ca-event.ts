/** The CA signed a certificate. */
export interface CertificateSigned {
  readonly event: 'certificate.signed';
  /** The SPIFFE id in it. */
  readonly identity: string;
  /** RFC 3339. */
  readonly notAfter: string;
  readonly peer: string;
}

/** The CA did not sign: the request is no good. */
export interface CsrRejected {
  readonly event: 'csr.rejected';
  /** The real reason; the wire says less. */
  readonly reason: string;
  readonly peer: string;
}

export type CaEvent = CertificateSigned | CsrRejected;
