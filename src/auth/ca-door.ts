import type { CaStatus, CertificateService } from '../ca/certificate-service.ts';
import { formatSpiffeId, type SpiffeId } from '../ca/spiffe-id.ts';
import type { Credentials } from './credentials.ts';
import type { Guard } from './guard.ts';
import { impersonationRefusal } from './refusal.ts';
import { unprovenIdentity } from './unproven-identity.ts';

/** What a caller asks of the CA (istio.v1.auth.IstioCertificateRequest). */
export interface CertificateRequest {
  /** PEM, PKCS #10. */
  readonly csr: string;
  /** Zero or less: the default, 24 hours. */
  readonly validitySeconds: number;
  /** The SPIFFE id that the caller wants to act for, as ztunnel does (`ImpersonatedIdentity` in the metadata). */
  readonly impersonated?: string;
}

/** `CreateCertificate` with the guard before it. */
export class CaDoor {
  private readonly guard: Guard;
  private readonly service: CertificateService;
  private readonly trustDomain: string;

  /** @param trustDomain of who has to prove nothing, and says nothing of who they are */
  constructor(guard: Guard, service: CertificateService, trustDomain: string) {
    this.guard = guard;
    this.service = service;
    this.trustDomain = trustDomain;
  }

  /** The chain in istiod's order, each PEM, or the status that the call ends with. */
  async create(request: CertificateRequest, credentials: Credentials): Promise<readonly string[] | CaStatus> {
    const { peer } = credentials;
    const identity = this.guard.atTheDoor('ca', peer) ?? (await this.identify(request, credentials));
    if ('code' in identity) return identity;
    return this.guard.checkIdentity(formatSpiffeId(identity), peer) ?? this.service.create(request, identity, peer);
  }

  private async identify(request: CertificateRequest, credentials: Credentials): Promise<SpiffeId | CaStatus> {
    const admission = await this.guard.admit('ca', credentials);
    if ('refused' in admission) return admission.refused;
    if (!admission.caller) return unprovenIdentity(request, credentials, this.trustDomain);
    return request.impersonated === undefined ? admission.caller.identity : impersonationRefusal;
  }
}
