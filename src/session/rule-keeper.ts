import { delay, drop } from '../faults/registry.ts';
import type { Fault } from '../faults/fault.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { IdentityPort } from './identity-port.ts';
import type { RuleCommands, RuleKind } from './rule.ts';
import type { Sessions } from './sessions.ts';

/** A rule as it stands now. */
export interface Standing<K extends RuleKind = RuleKind> {
  readonly command: RuleCommands[K];
  /** How often it will still strike. */
  readonly left?: number;
}

/** How one kind of rule is put in force, looked at, and lifted. The rule itself lives where it works. */
export interface RuleKeeper<K extends RuleKind> {
  /** One more rule, or this one in place of that with the same id. */
  put(id: string, command: RuleCommands[K]): void;
  /** The rule that `command` put in force; undefined once it is used up or gone. */
  standing(id: string, command: RuleCommands[K]): Standing<K> | undefined;
  lift(id: string, command: RuleCommands[K]): void;
}

export type RuleKeepers = { readonly [K in RuleKind]: RuleKeeper<K> };

/** Where rules live. */
export interface RulePlaces {
  readonly sessions: Pick<Sessions, 'withheld' | 'changeRules' | 'faults' | 'refusals' | 'ready'>;
  readonly identity: IdentityPort;
  moveServer(kind: 'start-server' | 'stop-server' | 'silence-server'): void;
}

export function ruleKeepers(places: RulePlaces): RuleKeepers {
  const { sessions, identity } = places;
  return {
    withhold: withholdKeeper(places),
    delay: faultKeeper(places, ({ typeUrl, delayMs, streams }) => delay(typeUrl, delayMs, streams)),
    drop: faultKeeper(
      places,
      ({ typeUrl, count, streams }) => drop(typeUrl, count, streams),
      (command, count) => ({ ...command, count }),
    ),
    refuse: {
      put: (id, { status, count, streams }) => sessions.refusals.put({ id, status, count, streams }),
      standing: (id, command) => counted(command, sessions.refusals.left(id), (count) => ({ ...command, count })),
      lift: (id) => sessions.refusals.lift(id),
    },
    gate: {
      put: (id, { service, tries, caller }) => {
        identity.closeGate(service, { id, ...(tries === undefined ? {} : { tries }), ...(caller === undefined ? {} : { caller }) });
      },
      standing: (id, command) => counted(command, identity.gateLeft(command.service, id), (tries) => ({ ...command, tries })),
      lift: (id, { service }) => identity.openGate(service, id),
    },
    'rate-limit': single(
      ({ perSecond }) => identity.limitRate(perSecond),
      () => identity.limitRate(undefined),
    ),
    auth: single(
      ({ wish }) => identity.changePolicy(wish),
      () => identity.changePolicy('off'),
    ),
    tls: single(
      ({ preset }) => identity.presentTls(preset),
      () => identity.presentTls('ok'),
    ),
    certificate: single(
      ({ afterMs }) => identity.expireCertificate(afterMs),
      () => identity.presentTls('ok'),
    ),
    server: single(
      ({ kind }) => places.moveServer(kind),
      () => places.moveServer('start-server'),
    ),
    ready: single(
      () => (sessions.ready = false),
      () => (sessions.ready = true),
    ),
  };
}

function withholdKeeper({ sessions }: RulePlaces): RuleKeeper<'withhold'> {
  const ofId = (id: string): WithholdRule | undefined => sessions.withheld.find((rule) => rule.id === id);
  return {
    put(id, { rules: [rule] }) {
      if (!rule) return;
      const known = ofId(id);
      const put = { ...rule, id };
      sessions.changeRules(known ? sessions.withheld.map((one) => (one === known ? put : one)) : [...sessions.withheld, put]);
    },
    standing(id, command) {
      const found = ofId(id);
      if (!found) return undefined;
      const { id: _, ...rule } = found;
      return { command: { ...command, rules: [rule] } };
    },
    lift: (id) => sessions.changeRules(sessions.withheld.filter((rule) => rule.id !== id)),
  };
}

/** `withLeft`: the command that would make what is left of the fault; for faults that are used up. */
function faultKeeper<K extends 'delay' | 'drop'>(
  { sessions }: RulePlaces,
  make: (command: RuleCommands[K]) => Fault,
  withLeft?: (command: RuleCommands[K], left: number) => RuleCommands[K],
): RuleKeeper<K> {
  return {
    put(id, command) {
      const fault = { ...make(command), id };
      const known = sessions.faults.some((one) => one.id === id);
      sessions.faults = known ? sessions.faults.map((one) => (one.id === id ? fault : one)) : [...sessions.faults, fault];
    },
    standing(id, command) {
      const found = sessions.faults.find((one) => one.id === id);
      if (!found) return undefined;
      return withLeft && found.left !== undefined ? { command: withLeft(command, found.left), left: found.left } : { command };
    },
    lift: (id) => void (sessions.faults = sessions.faults.filter((one) => one.id !== id)),
  };
}

/** Of what there is only one, in force until it is lifted. */
function single<K extends RuleKind>(put: (command: RuleCommands[K]) => void, lift: () => void): RuleKeeper<K> {
  return { put: (_, command) => put(command), standing: (_, command) => ({ command }), lift };
}

/** What is left of a rule that may be for some times only. */
function counted<K extends RuleKind>(
  command: RuleCommands[K],
  left: number | undefined,
  withLeft: (left: number) => RuleCommands[K],
): Standing<K> | undefined {
  if (left === undefined) return undefined;
  return left === Infinity ? { command } : { command: withLeft(left), left };
}
