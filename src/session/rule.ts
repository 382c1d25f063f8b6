import type { Command } from '../script/command.ts';

/** Everything that can be in force. `certificate`: the server certificate that `expire-certificate` made. */
export const ruleKinds = [
  'withhold',
  'delay',
  'drop',
  'refuse',
  'gate',
  'rate-limit',
  'auth',
  'tls',
  'certificate',
  'server',
  'ready',
] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** A command that leaves something in force. */
export type RuleCommand = Extract<
  Command,
  {
    kind:
      | 'withhold'
      | 'delay'
      | 'drop'
      | 'refuse'
      | 'gate'
      | 'rate-limit'
      | 'auth'
      | 'tls'
      | 'expire-certificate'
      | 'stop-server'
      | 'silence-server'
      | 'set-ready';
  }
>;

/** Something that is in force: what makes the server behave other than a plain istiod would. Frozen. */
export interface Rule {
  /**
   * Stays the same as long as the rule is in force: `withhold-1`, `delay-2` …; of what there is only one of, the kind itself (`tls`,
   * `server`).
   */
  readonly id: string;
  readonly kind: RuleKind;
  /** In English, in the imperative: `withhold CDS`, `refuse the next 2 streams with status 14`. */
  readonly sentence: string;
  /** What would bring it about as it stands now, what was used up or released of it being left out. */
  readonly command: RuleCommand;
  /** How often it will still strike; absent where it does until it is removed. */
  readonly left?: number;
}
