import type { GateRule } from '../auth/gate.ts';
import type { AuthWish } from '../auth/policy.ts';
import type { TlsPreset } from '../script/command.ts';

export type { TlsPreset } from '../script/command.ts';

/** What the control plane needs of those who decide who gets in; `istiod.ts` connects them. */
export interface IdentityPort {
  /** Lays a wish over the rules in force; `off`: nobody is asked any more. */
  changePolicy(wish: AuthWish | 'off'): void;
  /** By one more rule, or by this one in place of that with the same id. */
  closeGate(service: 'xds' | 'ca', rule: GateRule): void;
  /** Lifts all that closed it, or the rule with this id. */
  openGate(service: 'xds' | 'ca', id?: string): void;
  /** How many tries a rule still keeps out (Infinity: all); undefined once it is used up or lifted. */
  gateLeft(service: 'xds' | 'ca', id: string): number | undefined;
  /** New streams per second; undefined lifts the limit. */
  limitRate(perSecond: number | undefined): void;
  /** How new TLS handshakes go. */
  presentTls(preset: TlsPreset | 'ok'): void;
  /** A new root signs from now on; connections are cut. */
  rotateRoot(): void;
  /** New handshakes see a certificate that ends so much later. */
  expireCertificate(afterMs: number): void;
}
