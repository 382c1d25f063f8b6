import { generateKeyPairSync } from 'node:crypto';
import { createAuthority, type CertificateWithKey, type IssueOptions } from '../ca/authority.ts';
import type { CaEvent } from '../ca/ca-event.ts';
import { CertificateService } from '../ca/certificate-service.ts';
import type { PkiFolder } from '../ca/pki-folder.ts';
import { rotatingAuthority, type RotatingAuthority } from '../ca/rotating-authority.ts';
import type { SpiffeId } from '../ca/spiffe-id.ts';
import { jwksOf, tokenKeyOf, type TokenKey } from '../ca/token-key.ts';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { AuthEvent } from './auth-event.ts';
import { authenticate } from './authenticator.ts';
import { CaDoor } from './ca-door.ts';
import type { Caller } from './caller.ts';
import type { Credentials } from './credentials.ts';
import { Guard } from './guard.ts';
import { authPolicy, changedPolicy, type AuthPolicy, type AuthWish, type KnownClusters } from './policy.ts';
import { mintToken, type TokenWish } from './token.ts';
import { XdsDoor } from './xds-door.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  /** Where the authority and the token key are kept. Default: both are made when they are needed, and are gone with this server. */
  readonly pki?: PkiFolder | undefined;
  /** Where identities live. Default: as the folder says, else `cluster.local`. */
  readonly trustDomain?: string | undefined;
  emit(event: AuthEvent | CaEvent): void;
  /** How a pattern with `*` is compared with a name. */
  matches(pattern: string, name: string): boolean;
}

/** A workload that a certificate is for. */
export type Workload = Omit<SpiffeId, 'trustDomain'> & Partial<SpiffeId>;

/** All that a server has to do with who is who: its authority, its token key, whom it believes, and the doors of both services. */
export class Identity {
  readonly authority: RotatingAuthority;
  readonly guard: Guard;
  readonly xdsDoor: XdsDoor;
  readonly caDoor: CaDoor;
  private readonly options: IdentityOptions;
  private madeKey: TokenKey | undefined;

  constructor(options: IdentityOptions) {
    const { clock, pki, trustDomain, emit, matches } = options;
    this.options = options;
    const first = createAuthority({ clock, ...(pki ? { pki } : {}), ...(trustDomain === undefined ? {} : { trustDomain }) });
    this.authority = rotatingAuthority(first, () => createAuthority({ clock, trustDomain: first.trustDomain }));
    this.guard = new Guard({ clock, emit, matches });
    this.xdsDoor = new XdsDoor(this.guard);
    const service = new CertificateService({ authority: () => this.authority, emit });
    this.caDoor = new CaDoor(this.guard, service, first.trustDomain);
  }

  /** Lays a wish over the rules in force; `off`: nobody is asked any more. */
  changePolicy(wish: AuthWish | 'off'): void {
    this.guard.policy = wish === 'off' ? undefined : changedPolicy(this.guard.policy, wish, this.ownPart());
  }

  /** Who a caller proves to be, also where nobody has to: then by istiod's rules and with the server's own keys. */
  async callerOf(credentials: Credentials): Promise<Caller | undefined> {
    const policy = this.guard.policy ?? changedPolicy(undefined, {}, this.ownPart());
    const found = await authenticate(credentials, policy, this.options.clock.date());
    return found.ok ? found.caller : undefined;
  }

  /** Clusters that tokens may be of. */
  get clusters(): KnownClusters {
    return (this.guard.policy ?? authPolicy()).clusters;
  }

  /**
   * A service account token, signed by the server's own key.
   *
   * @throws FakeIstiodError `pki.invalid` if the folder holds keys to check tokens with and none to sign them
   */
  async token(wish: TokenWish): Promise<string> {
    return mintToken(this.tokenKey(), wish, this.options.clock);
  }

  /** A certificate of the server's own authority for a workload, with its key. */
  clientCertificate(
    { trustDomain = this.authority.trustDomain, ...workload }: Workload,
    options?: IssueOptions,
  ): Promise<CertificateWithKey> {
    return this.authority.issue({ trustDomain, ...workload }, options);
  }

  private ownPart(): Pick<AuthPolicy, 'trustDomains' | 'keys'> {
    const keys = this.options.pki?.jwks ?? jwksOf(this.tokenKey());
    return { trustDomains: [this.authority.trustDomain], keys };
  }

  private tokenKey(): TokenKey {
    const { pki } = this.options;
    if (pki?.tokenKey) return pki.tokenKey;
    if (pki?.jwks) {
      throw new FakeIstiodError('pki.invalid', `${pki.dir} holds keys to check tokens with, but none to sign them`, {
        remedy: 'Take the token from where its keys are, or put the private key there as token-key.pem',
      });
    }
    return (this.madeKey ??= tokenKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) as TokenKey);
  }
}
