import { systemClock, type Clock } from '../clock.ts';
import { serverStates, type ServerState } from '../envoy/index.ts';
import { pause } from '../envoy/pause.ts';
import { FakeIstiodError } from '../errors.ts';
import { durationText } from '../script/duration.ts';
import { wordRemedy } from '../script/nearest.ts';
import { evidence } from './evidence.ts';
import { matcherTimeoutMs, notWithinMs, told, type MatcherContext, type MatcherResult } from './matcher-result.ts';
import { envoyOf, type HasTimeline, type Subject } from './subject.ts';

export interface ReachStateOptions {
  /** Default 4000 ms; under `.not`, where it is waited for to the end, 500 ms. */
  readonly timeoutMs?: number;
  /** The fake istiod of that Envoy, for the timeline in the message. Default: the one that the fixtures know of. */
  readonly istiod?: HasTimeline;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

export interface StayInOptions extends Pick<ReachStateOptions, 'istiod' | 'clock'> {
  /** How long the state must last; default 500 ms. Under `.not` Envoy has so long to leave it. */
  readonly forMs?: number;
}

/** Between two looks at the state. */
const lookEveryMs = 25;

/**
 * Envoy gets into a server state in time. Under `.not` it does not within `timeoutMs`; an Envoy that cannot be asked fails both.
 * Source: the states are those of `/server_info`.
 */
export async function toReachState(
  this: MatcherContext,
  received: unknown,
  wanted: ServerState,
  options: ReachStateOptions = {},
): Promise<MatcherResult> {
  const state = checkedState('toReachState', wanted);
  const subject = envoyOf('toReachState', received, options.istiod);
  const timeoutMs = checkedMs('timeoutMs', options.timeoutMs ?? (this.isNot ? notWithinMs : matcherTimeoutMs));
  const within = `within ${durationText(timeoutMs)}`;
  try {
    await subject.admin.awaitState(state, { timeoutMs, ...(options.clock ? { clock: options.clock } : {}) });
  } catch (error) {
    const failure = FakeIstiodError.from(error);
    if (this.isNot && (failure.code !== 'wait.timed-out' || failure.cause !== undefined)) throw failure;
    const [why = '', ...facts] = failure.message.replace(/^Envoy was not \S+ within \S+ s: /, '').split('; ');
    // The readiness is told by the evidence.
    const rest = facts.filter((fact) => !fact.startsWith('/ready says')).join('; ');
    const more = [rest, await evidence(subject)].filter(Boolean).join('\n');
    return told(false, `Envoy to reach ${state} ${within}`, why, more);
  }
  return told(true, `Envoy not to reach ${state} ${within}`, 'it did', this.isNot ? await evidence(subject) : '');
}

/** Envoy is in a server state, and still is after `forMs`, and was at every look in between. An Envoy that cannot be asked fails `.not`, too. */
export async function toStayIn(
  this: MatcherContext,
  received: unknown,
  wanted: ServerState,
  options: StayInOptions = {},
): Promise<MatcherResult> {
  const state = checkedState('toStayIn', wanted);
  const subject = envoyOf('toStayIn', received, options.istiod);
  const forMs = checkedMs('forMs', options.forMs ?? notWithinMs);
  const left = await leftTo(subject, state, forMs, options.clock ?? systemClock);
  const lasting = `for ${durationText(forMs)}`;
  if (left === undefined) return told(true, `Envoy not to stay ${state} ${lasting}`, 'it did', this.isNot ? await evidence(subject) : '');
  const why = left.afterMs === 0 ? `it was ${left.to} from the start` : `it was ${left.to} after ${durationText(left.afterMs)}`;
  return told(false, `Envoy to stay ${state} ${lasting}`, why, this.isNot ? '' : await evidence(subject));
}

interface Left {
  readonly to: ServerState;
  readonly afterMs: number;
}

/** Where Envoy went from `state` within `forMs`; undefined if it stayed. */
async function leftTo({ admin }: Subject, state: ServerState, forMs: number, clock: Clock): Promise<Left | undefined> {
  const startedAtMs = clock.now();
  for (let first = true; ; first = false) {
    const found = await admin?.state();
    const afterMs = Math.round(clock.now() - startedAtMs);
    if (found !== undefined && found !== state) return { to: found, afterMs: first ? 0 : afterMs };
    if (afterMs >= forMs) return undefined;
    await pause(clock, Math.min(lookEveryMs, forMs - afterMs));
  }
}

function checkedState(matcher: string, state: unknown): ServerState {
  const known = serverStates.find((name) => name === state);
  if (known) return known;
  const remedy = wordRemedy(String(state), serverStates);
  throw new FakeIstiodError('options.invalid', `${matcher} was asked for ${JSON.stringify(state)}, which is no server state`, { remedy });
}

/** Milliseconds that a test gave. Error `options.invalid` for what is no such number: `'5s'` would else be no time at all. */
export function checkedMs(option: string, ms: unknown): number {
  if (typeof ms === 'number' && ms >= 0) return ms;
  const remedy = 'Give milliseconds, such as 5000';
  throw new FakeIstiodError('options.invalid', `${option} is ${JSON.stringify(ms)}, which is no number of milliseconds`, { remedy });
}
