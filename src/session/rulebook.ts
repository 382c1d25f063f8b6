import { FakeIstiodError } from '../errors.ts';
import { released } from '../protocol/withhold-rule.ts';
import type { Command } from '../script/command.ts';
import { commandSentence } from '../script/explain.ts';
import { ruleKeepers, type RuleKeepers, type RulePlaces } from './rule-keeper.ts';
import { ruleKindOf, ruleKinds, type Rule, type RuleCommand, type RuleCommands, type RuleKind } from './rule.ts';

/** Commands that put something in force or take something back. */
export type RulingCommand = RuleCommand | Extract<Command, { kind: 'release' | 'accept' | 'start-server' | 'rotate-root' }>;

interface Entry<K extends RuleKind = RuleKind> {
  readonly kind: K;
  readonly command: RuleCommands[K];
}

/** Of these there may be several. */
const numbered: ReadonlySet<RuleKind> = new Set(['withhold', 'delay', 'drop', 'refuse', 'gate']);

/** What is in force, each with an id: it is the one that puts rules where they work, and that lists, changes and lifts them. */
export class Rulebook {
  private readonly entries = new Map<string, Entry>();
  private readonly keepers: RuleKeepers;
  private readonly places: RulePlaces;
  private count = 0;

  constructor(places: RulePlaces) {
    this.places = places;
    this.keepers = ruleKeepers(places);
  }

  /** All that is in force, in the order it came. */
  get rules(): readonly Rule[] {
    return [...this.entries].flatMap(([id, entry]) => this.ruleOf(id, entry) ?? []);
  }

  /** Carries out a command, and gives the rules that it put in force. */
  perform(command: RulingCommand): readonly Rule[] {
    if (this.takeBack(command)) return [];
    const singles = command.kind === 'withhold' ? command.rules.map((rule) => ({ ...command, rules: [rule] })) : [command];
    this.forgetUsedUp();
    return singles.flatMap((single) => {
      const kind = ruleKindOf(single);
      return kind ? [this.put(kind, this.newId(kind), single as RuleCommand)] : [];
    });
  }

  /** A rule that is in force. Throws `rule.not-found`. */
  rule(id: string): Rule {
    const entry = this.entries.get(id);
    const rule = entry && this.ruleOf(id, entry);
    if (rule) return rule;
    const known = this.rules.map((one) => one.id);
    throw new FakeIstiodError('rule.not-found', `no rule with the id ${JSON.stringify(id)} is in force`, {
      remedy: known.length > 0 ? `In force are ${known.join(', ')}` : 'None is in force',
    });
  }

  /** Throws `options.invalid` for a rule about one stream by its number: rules are for streams to come, too. */
  checkStreams(command: Command): void {
    const named = ruleKindOf(command) !== undefined && 'streams' in command && command.streams !== undefined && 'stream' in command.streams;
    if (!named) return;
    throw new FakeIstiodError('options.invalid', `${command.kind} cannot be for one stream by its number`, {
      remedy: 'Say which streams by `node` or `variant`; only `close` takes `stream`',
    });
  }

  /** Throws `rule.not-found` if there is no such rule, and `options.invalid` if `command` cannot stand in its place. */
  checkChange(id: string, command: RuleCommand): void {
    this.checkStreams(command);
    const { kind } = this.rule(id);
    const several = command.kind === 'withhold' && command.rules.length > 1;
    if (ruleKindOf(command) === kind && !several) return;
    const what = several ? 'one rule cannot become several' : `"${commandSentence(command)}" is no rule of the kind ${kind}`;
    throw new FakeIstiodError('options.invalid', `rule ${id} cannot be changed so: ${what}`, {
      remedy: 'Remove it, or add another rule beside it',
    });
  }

  /** Puts another command of the same kind in a rule's place. Errors as `checkChange`. */
  change(id: string, command: RuleCommand): Rule {
    this.checkChange(id, command);
    const { kind } = this.rule(id);
    // What it was is not laid under what it becomes.
    if (kind === 'auth') this.remove(id);
    return this.put(kind, id, command);
  }

  /** Lifts a rule. Throws `rule.not-found`. */
  remove(id: string): void {
    const { kind, command } = this.rule(id);
    this.lift(id, { kind, command });
  }

  /**
   * In place of all that is in force: `commands`. What the client is owed between is computed once: `publish` is called while the old and
   * the new withholds are in force, so that nothing slips out.
   */
  begin(commands: readonly RulingCommand[], publish: () => void): void {
    const old = [...this.entries];
    for (const [id, entry] of old) if (entry.kind !== 'withhold' && !goesOn(entry, commands)) this.lift(id, entry);
    for (const command of commands) if (command.kind === 'withhold') this.perform(command);
    publish();
    for (const [id, entry] of old) if (entry.kind === 'withhold') this.lift(id, entry);
    for (const command of commands) if (command.kind !== 'withhold') this.perform(command);
  }

  /** The server could not be started: it is down. */
  noteServerDown(): void {
    this.entries.set('server', { kind: 'server', command: { kind: 'stop-server' } });
  }

  /** True if the command takes something back. */
  private takeBack(command: RulingCommand): boolean {
    const { sessions, identity } = this.places;
    switch (command.kind) {
      case 'release':
        sessions.changeRules(command.rules.reduce(released, sessions.withheld));
        return true;
      case 'accept':
        sessions.refusals.lift();
        return true;
      case 'start-server':
        this.places.moveServer('start-server');
        this.entries.delete('server');
        return true;
      case 'rotate-root':
        identity.rotateRoot();
        return true;
      case 'delay':
        sessions.faults = sessions.faults.filter(({ name, typeUrl }) => name !== 'delay' || typeUrl !== command.typeUrl);
        return command.delayMs <= 0;
      case 'gate':
        if (command.state === 'open') identity.openGate(command.service);
        return command.state === 'open';
      default:
        return this.endSingle(command);
    }
  }

  /** Ends what there is only one of, whether it is in force or not. */
  private endSingle(command: RuleCommand): boolean {
    if (ruleKindOf(command) !== undefined) return false;
    const kind = ruleKinds.find((one) => one === command.kind || (one === 'ready' && command.kind === 'set-ready'));
    if (kind && !numbered.has(kind)) this.lift(kind, { kind, command });
    return true;
  }

  private put<K extends RuleKind>(kind: K, id: string, command: RuleCommands[K]): Rule {
    this.keepers[kind].put(id, command);
    const entry: Entry = { kind, command: laidOver(this.entries.get(id)?.command, command) };
    this.entries.set(id, entry);
    return this.ruleOf(id, entry) as Rule;
  }

  private lift<K extends RuleKind>(id: string, { kind, command }: Entry<K>): void {
    this.keepers[kind].lift(id, command);
    this.entries.delete(id);
    if (kind === 'tls') this.entries.delete('certificate');
    const tls = this.entries.get('tls');
    // Lifting it sets all of TLS right, as `tls: ok` does.
    if (kind === 'certificate' && tls) this.keepers.tls.put('tls', tls.command as RuleCommands['tls']);
  }

  private ruleOf<K extends RuleKind>(id: string, { kind, command }: Entry<K>): Rule | undefined {
    const standing = this.keepers[kind].standing(id, command);
    return standing && Object.freeze({ id, kind, sentence: commandSentence(standing.command), ...standing });
  }

  private newId(kind: RuleKind): string {
    if (!numbered.has(kind)) return kind;
    this.count += 1;
    return `${kind}-${this.count}`;
  }

  private forgetUsedUp(): void {
    for (const [id, entry] of [...this.entries]) if (!this.ruleOf(id, entry)) this.entries.delete(id);
  }
}

/** True for what is not lifted between two scenarios because the next one begins with the like. */
function goesOn({ kind, command }: Entry, commands: readonly RulingCommand[]): boolean {
  if (kind === 'ready' || kind === 'rate-limit') return commands.some((next) => next.kind === command.kind);
  // A server that is down has to come up before it can be silent.
  return (
    kind === 'server' &&
    commands.some((next) => ruleKindOf(next) === 'server' && (next.kind === command.kind || next.kind === 'stop-server'))
  );
}

/** A wish about who is believed is laid over what was wished before, part by part. */
function laidOver(before: RuleCommand | undefined, command: RuleCommand): RuleCommand {
  if (command.kind !== 'auth' || before?.kind !== 'auth' || command.wish === 'off' || before.wish === 'off') return command;
  const clusters = command.wish.clusters || before.wish.clusters ? { clusters: { ...before.wish.clusters, ...command.wish.clusters } } : {};
  return { kind: 'auth', wish: { ...before.wish, ...command.wish, ...clusters } };
}
