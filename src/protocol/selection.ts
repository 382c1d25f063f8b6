import type { Variant } from './request.ts';
import { shortestTtlMs, type Resource } from './resource.ts';
import { resourceType } from './resource-type.ts';
import { difference, type TypeState } from './snapshot.ts';
import { isWildcard, wants, type Subscription } from './subscription.ts';
import { aliased } from './unserved.ts';
import { clientCopy, mayHold, type Owed, type Selection, type Watch } from './watch.ts';
import type { Withheld } from './withhold-rule.ts';

/** Arrays of resources are made once for all streams that are sent the same, so that their bytes are made once too. */
const everyResource = new WeakMap<TypeState, readonly Resource[]>();
const chosen = new WeakMap<ReadonlySet<string>, { readonly state: TypeState; readonly resources: readonly Resource[] }>();

function allOf(state: TypeState): readonly Resource[] {
  const known = everyResource.get(state);
  if (known) return known;
  const every = [...state.resources.values(), ...state.duplicates];
  const all = state.onDemand ? every.filter(({ onDemand }) => !onDemand) : every;
  everyResource.set(state, all);
  return all;
}

/** The resources of these names, duplicates kept on purpose included. */
export function namedResources(state: TypeState, names: ReadonlySet<string>): readonly Resource[] {
  const known = chosen.get(names);
  if (known?.state === state) return known.resources;
  const resources: Resource[] = [];
  for (const asked of names) {
    const name = state.resources.has(asked) ? asked : (aliased(state, asked) ?? asked);
    const resource = state.resources.get(name);
    if (!resource || (name !== asked && (names.has(name) || resources.includes(resource)))) continue;
    resources.push(resource);
    if (state.duplicates.length > 0) resources.push(...state.duplicates.filter((duplicate) => duplicate.name === name));
  }
  chosen.set(names, { state, resources });
  return resources;
}

/** What a wildcard covers, and what is named beside it and served on demand alone. */
function everythingFor({ names }: Subscription, state: TypeState): readonly Resource[] {
  const all = allOf(state);
  if (names.size === 0 || !state.onDemand) return all;
  const beside = namedResources(state, names).filter(({ onDemand }) => onDemand);
  return beside.length > 0 ? [...all, ...beside] : all;
}

/** True if `name`, as one of these states has it, is part of what the client subscribed to. */
function isAskedFor(subscription: Subscription, states: readonly TypeState[], name: string): boolean {
  const known = states.flatMap(({ resources }) => resources.get(name) ?? []);
  if (isWildcard(subscription) && !known.some(({ onDemand }) => onDemand)) return true;
  if (subscription.names.size === 0) return false;
  return subscription.names.has(name) || known.some(({ aliases = [] }) => aliases.some((alias) => subscription.names.has(alias)));
}

/** All that the client subscribed to but for what is withheld. */
export function subscribedResources({ subscription }: Watch, state: TypeState, withheld: Withheld): readonly Resource[] {
  const all = isWildcard(subscription) ? everythingFor(subscription, state) : namedResources(state, subscription.names);
  return withheld.extent === 'nothing' ? all : all.filter(({ name }) => !withheld.holds(name));
}

/** Names that the client wants and no longer has right, because the state moved on. Undefined if there is none. */
export function changesFor({ held, subscription }: Watch, state: TypeState): ReadonlySet<string> | undefined {
  if (!held || held.state === state) return undefined;
  const { names } = difference(held.state, state);
  const states = [held.state, state];
  const all = isWildcard(subscription) && !states.some(({ onDemand }) => onDemand);
  const wanted = all ? names : new Set([...names].filter((name) => isAskedFor(subscription, states, name)));
  return wanted.size > 0 ? wanted : undefined;
}

/** What is owed because of a change, and the names that a refused response left in doubt: one correction makes up for all. */
export function withDoubtful({ doubtful, subscription }: Watch, owed: Owed, withheld?: Withheld): Owed {
  if (doubtful.size === 0) return owed;
  const free = [...doubtful].filter((name) => wants(subscription, name) && !withheld?.holds(name));
  return owed === 'all' || free.length === 0 ? owed : new Set([...owed, ...free]);
}

/** Names that may have gone from the state while the client has them. */
function leavers({ held, doubtful, initialVersions }: Watch, state: TypeState): Iterable<string> {
  return new Set([
    ...(held ? difference(held.state, state).removed : []),
    ...(held?.instead.keys() ?? []),
    ...doubtful,
    ...initialVersions.keys(),
  ]);
}

/** Names among those owed that the client wants, may hold, and that are gone. */
export function goneNames(watch: Watch, state: TypeState, owed: Owed): readonly string[] {
  const names = owed === 'all' ? leavers(watch, state) : owed;
  const states = watch.held ? [watch.held.state] : [];
  return [...names].filter(
    (name) =>
      !state.resources.has(name) &&
      mayHold(watch, name) &&
      (watch.doubtful.has(name) || watch.initialVersions.has(name)
        ? wants(watch.subscription, name)
        : isAskedFor(watch.subscription, states, name)),
  );
}

/** True if there is something to say of `name`: it is served, or the client may have what is served no more. */
export function isTellable(watch: Watch, state: TypeState, name: string): boolean {
  return state.resources.has(name) || mayHold(watch, name);
}

/** Names owed that are withheld. */
export function heldBack(watch: Watch, state: TypeState, owed: Owed, withheld: Withheld): readonly string[] {
  if (withheld.extent === 'nothing') return [];
  const { subscription } = watch;
  const wanted = isWildcard(subscription) ? state.resources.keys() : subscription.names;
  const names = owed === 'all' ? new Set([...wanted, ...goneNames(watch, state, 'all')]) : owed;
  return [...names].filter((name) => withheld.holds(name) && isTellable(watch, state, name));
}

/** What the client has of withheld names it was sent before: left out of a whole response, they would be removed. */
export function keptCopies(watch: Watch, state: TypeState, withheld: Withheld): readonly Resource[] {
  if (withheld.extent === 'nothing' || !watch.held) return [];
  const names = new Set([...watch.held.state.resources.keys(), ...watch.held.instead.keys(), ...state.resources.keys()]);
  return [...names]
    .filter((name) => withheld.holds(name) && wants(watch.subscription, name))
    .flatMap((name) => clientCopy(watch, name) ?? []);
}

const beats = new WeakMap<Resource, Resource>();

function heartbeatOf(resource: Resource): Resource {
  const known = beats.get(resource);
  if (known) return known;
  const made: Resource = { ...resource, value: new Uint8Array(0), heartbeat: true };
  beats.set(resource, made);
  return made;
}

/**
 * Heartbeats of what the client holds and may keep for a time only; undefined if there is none. In a whole SotW response the payload goes
 * out again: to Envoy one without any would mean that nothing is left.
 */
export function heartbeatSelection(watch: Watch, variant: Variant, withheld: Withheld): Selection | undefined {
  const { held } = watch;
  if (!held) return undefined;
  const whole = variant === 'sotw' && resourceType(watch.typeUrl).fullState;
  const all = subscribedResources(watch, held.state, withheld).filter(({ name }) => !held.instead.has(name));
  if (shortestTtlMs(all) === Infinity) return undefined;
  return { resources: whole ? all : all.filter(({ ttlMs }) => ttlMs !== undefined).map(heartbeatOf), removed: [], whole };
}
