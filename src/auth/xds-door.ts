import { formatSpiffeId } from '../ca/spiffe-id.ts';
import type { Caller } from './caller.ts';
import type { Credentials } from './credentials.ts';
import type { Guard } from './guard.ts';
import type { ClaimedNode } from './identity-check.ts';
import type { RefusalStatus } from './refusal.ts';

/** A new xDS stream. */
export interface Arrival extends Pick<Credentials, 'peer' | 'secure'> {
  readonly credentials?: Omit<Credentials, 'peer' | 'secure'>;
}

/** A caller who was let in, as far as can be told before the first request. */
export interface Admitted {
  /** Who it has proved to be; absent where nobody was asked. */
  readonly identity?: { readonly spiffeId: string; readonly by: Caller['by']; readonly clusterId?: string };
  /** Why this caller may not be that node. */
  mayBe(node: ClaimedNode): RefusalStatus | undefined;
}

/** The xDS services with the guard before them. */
export class XdsDoor {
  private readonly guard: Guard;

  constructor(guard: Guard) {
    this.guard = guard;
  }

  /** Decides at once where nobody has to be asked. */
  receive({ peer, secure, credentials }: Arrival): Admitted | RefusalStatus | Promise<Admitted | RefusalStatus> {
    const refused = this.guard.atTheDoor('xds', peer);
    if (refused) return refused;
    if (this.guard.open) return this.admitted(undefined, peer);
    return this.guard
      .admit('xds', { peer, secure, ...credentials })
      .then((admission) => ('refused' in admission ? admission.refused : this.admitted(admission.caller, peer)));
  }

  private admitted(caller: Caller | undefined, peer: string): Admitted {
    return { ...(caller ? { identity: proven(caller) } : {}), mayBe: (node) => this.guard.checkNode(caller, peer, node) };
  }
}

function proven({ identity, by, clusterId }: Caller): NonNullable<Admitted['identity']> {
  return { spiffeId: formatSpiffeId(identity), by, ...(clusterId === undefined ? {} : { clusterId }) };
}
