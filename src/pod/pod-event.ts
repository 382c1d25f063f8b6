/** The proxy's token file was written anew. */
export interface TokenWritten {
  readonly event: 'token.written';
  /** Whom the token in it is for. */
  readonly audiences: readonly string[];
  /** When the token in it ends, ISO 8601. */
  readonly notAfter: string;
}

/** The CA has signed a certificate for the proxy, as its agent sees it. */
export interface CertificateReceived {
  readonly event: 'certificate.received';
  /** The name in it. */
  readonly identity: string;
  /** ISO 8601. */
  readonly notAfter: string;
  /** How many texts the answer holds: the leaf, what lies between, the roots. */
  readonly chain: number;
}

/** The CA has not, or could not be reached. */
export interface CertificateRefused {
  readonly event: 'certificate.refused';
  /** gRPC status code. */
  readonly code: number;
  /** The status text. */
  readonly text: string;
}

export type PodEvent = TokenWritten | CertificateReceived | CertificateRefused;
