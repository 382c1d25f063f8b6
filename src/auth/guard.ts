import { formatSpiffeId } from '../ca/spiffe-id.ts';
import type { Clock } from '../clock.ts';
import type { AuthEvent, Service } from './auth-event.ts';
import { authenticate } from './authenticator.ts';
import { doubtsText, type Caller, type Doubt } from './caller.ts';
import type { Credentials } from './credentials.ts';
import { ClosableGate } from './gate.ts';
import { identityMismatch, type ClaimedNode } from './identity-check.ts';
import type { AuthPolicy } from './policy.ts';
import { RateLimit } from './rate-limit.ts';
import { caRefusal, identityRefusal, rateLimited, xdsRefusal, type RefusalStatus } from './refusal.ts';

export interface GuardOptions {
  readonly clock: Clock;
  /** Undefined: everybody is let in. */
  readonly policy?: AuthPolicy | undefined;
  emit(event: AuthEvent): void;
  /** How a pattern with `*` is compared with a name. */
  matches(pattern: string, name: string): boolean;
}

/** What came of asking who a caller is: somebody, nobody in particular (an open lab), or a refusal. */
export type Admission = { readonly caller: Caller | undefined } | { readonly refused: RefusalStatus };

/** Stands before both services: who may come in, and what the others are told. All of it can change while the server runs. */
export class Guard {
  policy: AuthPolicy | undefined;
  readonly gates: Readonly<Record<Service, ClosableGate>>;
  private limit: RateLimit | undefined;
  private readonly options: GuardOptions;

  constructor(options: GuardOptions) {
    this.options = options;
    this.policy = options.policy;
    this.gates = { xds: new ClosableGate(options.matches), ca: new ClosableGate(options.matches) };
  }

  /** New xDS streams per second from now on; undefined lifts the limit. */
  limitRate(perSecond: number | undefined): void {
    this.limit = perSecond === undefined ? undefined : new RateLimit(perSecond, this.options.clock);
  }

  /** True while nobody is asked who they are; a gate may be closed even so. */
  get open(): boolean {
    return this.policy === undefined;
  }

  /** What is decided before anybody is asked who they are: the rate, and a gate that is closed for everybody. */
  atTheDoor(service: Service, peer: string): RefusalStatus | undefined {
    if (service === 'xds' && this.limit && !this.limit.admits()) return rateLimited;
    return this.turnedAway(service, peer, undefined);
  }

  /** Asks for the caller's identity. */
  async admit(service: Service, credentials: Credentials): Promise<Admission> {
    const { policy } = this;
    if (!policy) return { caller: undefined };
    const found = await authenticate(credentials, policy, this.options.clock.date());
    if (found.ok) {
      this.reportCaller(service, credentials.peer, found.caller);
      return { caller: found.caller };
    }
    this.reportDoubts(service, credentials.peer, found.doubts, policy);
    return { refused: this.refusal(service) };
  }

  /** Whether a caller may be the proxy that its first request names; a gate may be closed for that proxy alone. */
  checkNode(caller: Caller | undefined, peer: string, node: ClaimedNode): RefusalStatus | undefined {
    const turnedAway = this.turnedAway('xds', peer, node.id);
    if (turnedAway || !caller || !this.policy?.identityCheck) return turnedAway;
    const text = identityMismatch(caller, node);
    if (text === undefined) return undefined;
    this.options.emit({
      event: 'identity.mismatched',
      service: 'xds',
      peer,
      identity: formatSpiffeId(caller.identity),
      nodeId: node.id,
      text,
    });
    return identityRefusal(text);
  }

  /** A gate that is closed for this identity alone. */
  checkIdentity(identity: string, peer: string): RefusalStatus | undefined {
    return this.turnedAway('ca', peer, identity);
  }

  private turnedAway(service: Service, peer: string, name: string | undefined): RefusalStatus | undefined {
    const reason = this.gates[service].keepsOut(name);
    if (reason === undefined) return undefined;
    this.options.emit({ event: 'caller.turned-away', service, peer, reason });
    return this.refusal(service);
  }

  private refusal(service: Service): RefusalStatus {
    return service === 'ca' ? caRefusal : xdsRefusal(this.policy ?? { texts: 'current' });
  }

  private reportCaller(service: Service, peer: string, { identity, by, audiences, clusterId }: Caller): void {
    const facts = { service, peer, identity: formatSpiffeId(identity) };
    if (by === 'client certificate') this.options.emit({ event: 'certificate.accepted', ...facts });
    else this.options.emit({ event: 'token.accepted', ...facts, audiences: audiences ?? [], clusterId: clusterId ?? '' });
  }

  private reportDoubts(service: Service, peer: string, doubts: readonly Doubt[], { audiences: wanted }: AuthPolicy): void {
    const audiences = doubts.find((doubt) => doubt.audiences)?.audiences;
    this.options.emit({ event: 'token.rejected', service, peer, reason: doubtsText(doubts), ...(audiences ? { audiences } : {}), wanted });
  }
}
