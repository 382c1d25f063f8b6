/** A certificate authority as the files that Istio plugs in: `ca-cert.pem`, `ca-key.pem`, `cert-chain.pem`, `root-cert.pem`. */
export interface CertificateFiles {
  /** The certificate that signs, PEM. */
  readonly certificatePem: string;
  /** Its private key, PEM. */
  readonly keyPem: string;
  /** The certificates between a leaf and the root, each as PEM with a line end; none where the root itself signs. */
  readonly chainPem: readonly string[];
  /** All roots that peers have to trust, PEM. */
  readonly rootPem: string;
}
