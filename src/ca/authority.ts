import type { Clock } from '../clock.ts';
import { CsrError, readCsr } from './csr.ts';
import { durationText } from './go-duration.ts';
import { makeLeaf } from './leaf.ts';
import type { PkiFolder } from './pki-folder.ts';
import { loadSigner, makeCertificateFiles, pemOf, type Signer } from './signer.ts';
import { defaultTrustDomain, formatSpiffeId, type SpiffeId } from './spiffe-id.ts';
import { backdateMs, certificateDate, dayMs, makeKeys, privateKeyPem } from './x509.ts';

/** A certificate for a request. */
export interface SignedCertificate {
  /**
   * PEM in istiod's order: the leaf, the certificates of the chain one by one, the roots in one string. Each ends with a line end.
   * Where the chain holds the root as well, it is there twice, as with istiod.
   */
  readonly chain: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Hexadecimal digits. */
  readonly serialNumber: string;
}

/** A certificate and its key; what a server or a client proves itself with. All PEM. */
export interface CertificateWithKey {
  /** The leaf, then the chain; without the root, unless the chain holds it. */
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly privateKeyPem: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export interface IssueOptions {
  /** Default: two minutes ago. */
  readonly notBefore?: Date;
  /** From now on. Default: 24 hours for a workload, a year for a server. Never ends after the signer itself. */
  readonly validityMs?: number;
  /** Instead of `validityMs`, taken as it is. */
  readonly notAfter?: Date;
  /** `unknown`: by a root of the same name that nobody has been told of. Default `own`. */
  readonly signer?: 'own' | 'unknown';
}

export interface ServerCertificateWish extends IssueOptions {
  /** All that the certificate is good for: DNS names and IP addresses. */
  readonly names: readonly string[];
}

/** A certificate authority as istiod has one. Costs nothing until it is asked for something. */
export interface Authority {
  /** Where its identities live, e.g. `cluster.local`. */
  readonly trustDomain: string;
  /** The roots that peers have to trust, as PEM. */
  rootPem(): Promise<string>;
  /** The certificates between a leaf and the root, each as PEM; none where the root signs. */
  chainPem(): Promise<readonly string[]>;
  /**
   * A certificate over the public key of a request (PEM, PKCS #10), for `identity` and nobody else: names in the request are not read.
   *
   * @param validitySeconds zero, less or absent: 24 hours; at most 90 days; never after the signer's own end
   * @throws CsrError
   */
  sign(csrPem: string, identity: SpiffeId, validitySeconds?: number): Promise<SignedCertificate>;
  /** A certificate with a key of its own for a workload. */
  issue(identity: SpiffeId, options?: IssueOptions): Promise<CertificateWithKey>;
  /** A certificate with a key of its own for a server. */
  serverCertificate(wish: ServerCertificateWish): Promise<CertificateWithKey>;
}

export interface AuthorityOptions {
  readonly clock: Clock;
  /** A folder that was opened. Default: a self-signed root that lives as long as this authority. */
  readonly pki?: PkiFolder;
  /** Default: that of the folder, else `cluster.local`. */
  readonly trustDomain?: string;
}

/** istiod's DEFAULT_WORKLOAD_CERT_TTL and MAX_WORKLOAD_CERT_TTL. */
const defaultValidityMs = dayMs;
const maxValidityMs = 90 * dayMs;
const serverValidityMs = 365 * dayMs;

/** An authority; nothing is made or loaded yet. */
export function createAuthority(options: AuthorityOptions): Authority {
  return new LazyAuthority(options);
}

class LazyAuthority implements Authority {
  readonly trustDomain: string;
  readonly #options: AuthorityOptions;
  #own: Promise<Signer> | undefined;
  #unknown: Promise<Signer> | undefined;

  constructor(options: AuthorityOptions) {
    this.#options = options;
    this.trustDomain = options.trustDomain ?? options.pki?.trustDomain ?? defaultTrustDomain;
  }

  async rootPem(): Promise<string> {
    return this.#options.pki?.rootPem ?? (await this.#signer('own')).rootPem;
  }

  async chainPem(): Promise<readonly string[]> {
    return this.#options.pki?.chainPem ?? (await this.#signer('own')).chainPem;
  }

  async sign(csrPem: string, identity: SpiffeId, validitySeconds = 0): Promise<SignedCertificate> {
    const publicKey = await readCsr(csrPem);
    const validityMs = checkedValidityMs(validitySeconds);
    const signer = await this.#signer('own');
    const { notBefore, notAfter } = this.#period(signer, validityMs);
    try {
      const leaf = await makeLeaf(signer, { publicKey, names: [formatSpiffeId(identity)], notBefore, notAfter });
      return { chain: [pemOf(leaf), ...signer.chainPem, signer.rootPem], notBefore, notAfter, serialNumber: leaf.serialNumber };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CsrError('generation', `cert generation error (${reason})`, reason);
    }
  }

  issue(identity: SpiffeId, options: IssueOptions = {}): Promise<CertificateWithKey> {
    return this.#withKey([formatSpiffeId(identity)], defaultValidityMs, options);
  }

  serverCertificate({ names, ...options }: ServerCertificateWish): Promise<CertificateWithKey> {
    return this.#withKey(names, serverValidityMs, options);
  }

  async #withKey(names: readonly string[], validityMs: number, options: IssueOptions): Promise<CertificateWithKey> {
    const signer = await this.#signer(options.signer ?? 'own');
    const period = this.#period(signer, options.validityMs ?? validityMs);
    const notBefore = options.notBefore ?? period.notBefore;
    const notAfter = options.notAfter ?? period.notAfter;
    const keys = await makeKeys();
    const leaf = await makeLeaf(signer, { publicKey: keys.publicKey, names, notBefore, notAfter });
    return {
      certificatePem: [pemOf(leaf), ...signer.chainPem].join(''),
      privateKeyPem: await privateKeyPem(keys.privateKey),
      notBefore: certificateDate(notBefore.getTime()),
      notAfter: certificateDate(notAfter.getTime()),
    };
  }

  #period(signer: Signer, validityMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
    const now = this.#options.clock.date().getTime();
    const end = Math.min(now + validityMs, signer.certificate.notAfter.getTime());
    return { notBefore: certificateDate(now - backdateMs), notAfter: certificateDate(end) };
  }

  #signer(which: 'own' | 'unknown'): Promise<Signer> {
    if (which === 'unknown') return (this.#unknown ??= this.#madeSigner());
    const { pki } = this.#options;
    return (this.#own ??= pki ? loadSigner(pki) : this.#madeSigner());
  }

  async #madeSigner(): Promise<Signer> {
    return loadSigner(await makeCertificateFiles(this.#options.clock, this.trustDomain));
  }
}

/** Error CsrError of kind `ttl`. */
function checkedValidityMs(seconds: number): number {
  if (!(seconds > 0)) return defaultValidityMs;
  if (seconds * 1000 <= maxValidityMs) return seconds * 1000;
  const [asked, most] = [durationText(seconds), durationText(maxValidityMs / 1000)];
  throw new CsrError(
    'ttl',
    `requested TTL ${asked} is greater than the max allowed TTL ${most}`,
    `it asks for ${asked}, the limit is ${most}`,
  );
}
