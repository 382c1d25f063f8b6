import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { AdminClient } from './admin-client.ts';
import type { ServerState } from './envoy-event.ts';
import { pause } from './pause.ts';

export interface AwaitStateOptions {
  /** Default 30 000 ms. */
  readonly timeoutMs?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Ends the wait at once, with its reason. */
  readonly ended?: AbortSignal;
}

/** What the last look at Envoy gave: its state, or why it could not be told. */
type Look = { readonly state: ServerState } | { readonly failure: FakeIstiodError };

/** Between two looks: short at first, since many states last only milliseconds. */
const firstPauseMs = 10;
const longestPauseMs = 100;

/** See {@link AdminClient.awaitState}. */
export async function awaitServerState(admin: AdminClient, wanted: ServerState, options: AwaitStateOptions = {}): Promise<void> {
  const { timeoutMs = 30_000, clock = systemClock, ended } = options;
  const start = clock.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const look = await lookAt(admin);
    ended?.throwIfAborted();
    if ('state' in look && look.state === wanted) return;
    const left = timeoutMs - (clock.now() - start);
    if (left <= 0) throw await timedOut(admin, wanted, timeoutMs, look);
    await pause(clock, Math.min(pauseMs, left), ended);
    ended?.throwIfAborted();
  }
}

async function lookAt(admin: AdminClient): Promise<Look> {
  try {
    return { state: await admin.state() };
  } catch (error) {
    return { failure: FakeIstiodError.from(error) };
  }
}

async function timedOut(admin: AdminClient, wanted: ServerState, timeoutMs: number, look: Look): Promise<FakeIstiodError> {
  const head = `Envoy was not ${wanted} within ${timeoutMs / 1000} s`;
  if ('failure' in look) return new FakeIstiodError('wait.timed-out', `${head}: ${look.failure.message}`, { cause: look.failure });
  const facts = [`it is ${look.state}`, await readyText(admin), await unreadyText(admin), await statsText(admin)].filter(Boolean);
  return new FakeIstiodError('wait.timed-out', `${head}: ${facts.join('; ')}`, { remedy: remedyFor(look.state) });
}

/** Evidence is a help, never a reason to fail in another way. */
async function evidence(tell: () => Promise<string>): Promise<string> {
  return tell().catch(() => '');
}

function readyText(admin: AdminClient): Promise<string> {
  return evidence(async () => {
    const { code, body } = await admin.ready();
    return `/ready says ${code} ${body}`;
  });
}

function unreadyText(admin: AdminClient): Promise<string> {
  return evidence(async () => {
    const targets = (await admin.initDump()).map((dump) => `${dump.name} (${dump.targets.join(', ')})`);
    return targets.length > 0 ? `it waits for ${targets.join(', ')}` : '';
  });
}

/** The stats that tell the usual causes apart; one that Envoy does not have is left out. */
const tellingStats =
  '^(control_plane\\.connected_state|cluster_manager\\.(cds\\.update_(attempt|success|rejected|failure)|warming_clusters)|listener_manager\\.lds\\.update_(attempt|success|rejected))$';

function statsText(admin: AdminClient): Promise<string> {
  return evidence(async () => [...(await admin.stats({ filter: tellingStats }))].map(([name, value]) => `${name} ${value}`).join(', '));
}

function remedyFor(state: ServerState): string {
  const remedies: Readonly<Record<ServerState, string>> = {
    PRE_INITIALIZING:
      'Envoy waits for its first clusters (CDS, then EDS and SDS of those clusters): is control_plane.connected_state 1, and was CDS answered?',
    INITIALIZING: 'Envoy has its clusters and waits for its first listeners (LDS, then RDS and SDS of those listeners): was LDS answered?',
    LIVE: 'Envoy never goes back from LIVE: a state before it must be asked for earlier',
    DRAINING: 'Envoy is going away',
  };
  return remedies[state];
}
