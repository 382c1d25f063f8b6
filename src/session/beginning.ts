import type { Quirks } from '../protocol/quirks.ts';
import type { IdentityCommand, Layer } from '../script/command.ts';
import type { Scenario } from '../script/scenario.ts';
import type { RulingCommand } from './rulebook.ts';

/** What there is when a scenario begins, the caller's own wishes about it included. */
export interface Beginning {
  readonly scenario: Scenario | undefined;
  readonly quirks: Quirks;
  readonly layers: readonly Layer[];
  readonly identity: readonly IdentityCommand[];
}

/** What is in force from the start, as the commands that would bring it about. */
export function openingRules({ scenario, identity }: Beginning): readonly RulingCommand[] {
  const { state = 'up', ready = true } = scenario?.istiod ?? {};
  return [
    ...(scenario?.withhold ?? []).map((rule) => ({ kind: 'withhold' as const, rules: [rule] })),
    ...identity,
    ...(ready ? [] : [{ kind: 'set-ready' as const, ready }]),
    ...(state === 'up' ? [] : [{ kind: state === 'down' ? ('stop-server' as const) : ('silence-server' as const) }]),
  ];
}
