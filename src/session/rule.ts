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

/** The command that brings each kind about. */
export interface RuleCommands {
  readonly withhold: CommandNamed<'withhold'>;
  readonly delay: CommandNamed<'delay'>;
  readonly drop: CommandNamed<'drop'>;
  readonly refuse: CommandNamed<'refuse'>;
  readonly gate: CommandNamed<'gate'>;
  readonly 'rate-limit': CommandNamed<'rate-limit'>;
  readonly auth: CommandNamed<'auth'>;
  readonly tls: CommandNamed<'tls'>;
  readonly certificate: CommandNamed<'expire-certificate'>;
  readonly server: CommandNamed<'stop-server' | 'silence-server'>;
  readonly ready: CommandNamed<'set-ready'>;
}

type CommandNamed<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** A command that leaves something in force. */
export type RuleCommand = RuleCommands[RuleKind];

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

const kinds: Readonly<Partial<Record<Command['kind'], RuleKind>>> = {
  withhold: 'withhold',
  delay: 'delay',
  drop: 'drop',
  refuse: 'refuse',
  gate: 'gate',
  'rate-limit': 'rate-limit',
  auth: 'auth',
  tls: 'tls',
  'expire-certificate': 'certificate',
  'stop-server': 'server',
  'silence-server': 'server',
  'set-ready': 'ready',
};

/** The kind of rule that a command brings about; undefined for one that leaves nothing in force, or takes something back. */
export function ruleKindOf(command: Command): RuleKind | undefined {
  return lifts(command) ? undefined : kinds[command.kind];
}

/** True for the form of a command that ends what its other form does. */
function lifts(command: Command): boolean {
  switch (command.kind) {
    case 'withhold':
      return command.rules.length === 0;
    case 'delay':
      return command.delayMs <= 0;
    case 'drop':
      return command.count <= 0;
    case 'gate':
      return command.state === 'open';
    case 'rate-limit':
      return command.perSecond === undefined;
    case 'auth':
      return command.wish === 'off';
    case 'tls':
      return command.preset === 'ok';
    case 'set-ready':
      return command.ready;
    default:
      return false;
  }
}
