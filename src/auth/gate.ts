/** A door that a scenario opens and closes, whatever the caller brings. */
export interface Gate {
  /** Why this caller is kept out; undefined if it is not. A gate that is closed for some tries counts this one. */
  keepsOut(caller: string | undefined): string | undefined;
}

/** What closes a gate: how often, and for whom. */
export interface GateRule {
  /** For the next so many tries; left out: until it is opened. */
  readonly tries?: number;
  /**
   * For callers alone whose name (a node id at the xDS gate, a SPIFFE id at the CA's) matches; `*` stands for any characters. Left out:
   * for everybody.
   */
  readonly caller?: string;
}

/** An open gate that can be closed. */
export class ClosableGate implements Gate {
  private rules: { readonly rule: GateRule; left: number }[] = [];
  private readonly matches: (pattern: string, name: string) => boolean;

  /** @param matches how a pattern is compared with a name */
  constructor(matches: (pattern: string, name: string) => boolean) {
    this.matches = matches;
  }

  close(rule: GateRule = {}): void {
    this.rules.push({ rule, left: rule.tries ?? Infinity });
  }

  open(): void {
    this.rules = [];
  }

  keepsOut(caller: string | undefined): string | undefined {
    const found = this.rules.find(
      ({ rule }) =>
        (rule.caller === undefined) === (caller === undefined) && (caller === undefined || this.matches(rule.caller as string, caller)),
    );
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.rules = this.rules.filter((one) => one !== found);
    return found.left === Infinity ? 'the gate is closed' : `the gate is closed for ${found.left} more tries`;
  }
}
