import type { GateRule } from '../auth/gate.ts';
import type { AuthWish } from '../auth/policy.ts';
import type { IdentityCommand, TlsPreset } from '../script/command.ts';

export type { TlsPreset } from '../script/command.ts';

/** What the control plane needs of those who decide who gets in; `istiod.ts` connects them. */
export interface IdentityPort {
  /** Lays a wish over the rules in force; `off`: nobody is asked any more. */
  changePolicy(wish: AuthWish | 'off'): void;
  closeGate(service: 'xds' | 'ca', rule: GateRule): void;
  openGate(service: 'xds' | 'ca'): void;
  /** New streams per second; undefined lifts the limit. */
  limitRate(perSecond: number | undefined): void;
  /** How new TLS handshakes go. */
  presentTls(preset: TlsPreset | 'ok'): void;
  /** A new root signs from now on; connections are cut. */
  rotateRoot(): void;
  /** New handshakes see a certificate that ends so much later. */
  expireCertificate(afterMs: number): void;
}

/** Carries out a command that changes who gets in. */
export function performIdentityCommand(command: IdentityCommand, port: IdentityPort): void {
  switch (command.kind) {
    case 'auth':
      return port.changePolicy(command.wish);
    case 'gate': {
      const { service, tries, caller } = command;
      if (command.state === 'open') return port.openGate(service);
      return port.closeGate(service, { ...(tries === undefined ? {} : { tries }), ...(caller === undefined ? {} : { caller }) });
    }
    case 'rate-limit':
      return port.limitRate(command.perSecond);
    case 'tls':
      return port.presentTls(command.preset);
    case 'rotate-root':
      return port.rotateRoot();
    case 'expire-certificate':
      return port.expireCertificate(command.afterMs);
  }
}
