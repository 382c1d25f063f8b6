/** A door that a scenario opens and closes, whatever the caller brings. */
export interface Gate {
  /** Why this caller is kept out; undefined if it is not. A gate that is closed for some tries counts this one. */
  keepsOut(caller: string | undefined): string | undefined;
}

/** What closes a gate: how often, and for whom. */
export interface GateRule {
  /** By which it can be told from others, changed and taken away. */
  readonly id?: string;
  /** For the next so many tries; left out: until it is opened. */
  readonly tries?: number;
  /**
   * For callers alone whose name (a node id at the xDS gate, a SPIFFE id at the CA's) matches; `*` stands for any characters. Left out:
   * for everybody.
   */
  readonly caller?: string;
}

interface ClosedBy {
  readonly rule: GateRule;
  left: number;
}

/** An open gate that can be closed. */
export class ClosableGate implements Gate {
  private rules: readonly ClosedBy[] = [];
  private readonly matches: (pattern: string, name: string) => boolean;

  /** @param matches how a pattern is compared with a name */
  constructor(matches: (pattern: string, name: string) => boolean) {
    this.matches = matches;
  }

  /** Closes it by one more rule, or by this one in place of the rule with the same id. */
  close(rule: GateRule = {}): void {
    const closed: ClosedBy = { rule, left: rule.tries ?? Infinity };
    const known = this.ruleOf(rule.id);
    this.rules = known ? this.rules.map((one) => (one === known ? closed : one)) : [...this.rules, closed];
  }

  /** Lifts all that closed it, or the rule with this id alone. */
  open(id?: string): void {
    this.rules = id === undefined ? [] : this.rules.filter(({ rule }) => rule.id !== id);
  }

  /** How many tries the rule with this id still keeps out (Infinity: all); undefined once there is no such rule. */
  left(id: string): number | undefined {
    return this.ruleOf(id)?.left;
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

  private ruleOf(id: string | undefined): ClosedBy | undefined {
    return id === undefined ? undefined : this.rules.find(({ rule }) => rule.id === id);
  }
}
