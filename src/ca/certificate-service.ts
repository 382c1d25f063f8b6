import type { Authority } from './authority.ts';
import type { CaEvent } from './ca-event.ts';
import { CsrError } from './csr.ts';
import { formatSpiffeId, type SpiffeId } from './spiffe-id.ts';

/** How a call ends that is not answered: a gRPC status. */
export interface CaStatus {
  readonly code: number;
  readonly message: string;
}

/** What a caller asks of the CA (istio.v1.auth.IstioCertificateRequest). */
export interface CertificateWish {
  /** PEM. */
  readonly csr: string;
  /** Zero or less: the default. */
  readonly validitySeconds: number;
}

export interface CertificateServiceOptions {
  authority(): Authority;
  emit(event: CaEvent): void;
}

/** gRPC status codes used here (grpc/grpc doc/statuscodes.md). */
const invalidArgument = 3;
const internal = 13;

/** `CreateCertificate` without its transport: signs for whoever the caller is known to be. */
export class CertificateService {
  private readonly options: CertificateServiceOptions;

  constructor(options: CertificateServiceOptions) {
    this.options = options;
  }

  /** The chain in istiod's order, or the status that istiod ends the call with. */
  async create({ csr, validitySeconds }: CertificateWish, caller: SpiffeId, peer: string): Promise<readonly string[] | CaStatus> {
    const { authority, emit } = this.options;
    try {
      const { chain, notAfter } = await authority().sign(csr, caller, validitySeconds);
      emit({ event: 'certificate.signed', identity: formatSpiffeId(caller), notAfter: notAfter.toISOString(), peer });
      return chain;
    } catch (error) {
      if (!(error instanceof CsrError)) throw error;
      emit({ event: 'csr.rejected', reason: error.detail, peer });
      return { code: error.kind === 'generation' ? internal : invalidArgument, message: error.statusText };
    }
  }
}
