import type { Clock } from '../clock.ts';
import type { AdminAnswer, AdminClient } from '../envoy/index.ts';
import { pause } from '../envoy/pause.ts';
import type { TimelineEvent } from '../events.ts';
import { collectReport } from './report.ts';
import type { LiveFiles } from './report.ts';

/** How Envoy was at a moment that did not last: before a step changed something, or before Envoy left a state. */
export interface KeptMoment {
  /** E.g. `before step release`, `before LIVE`. */
  readonly name: string;
  /** When the look at Envoy was finished, in milliseconds of the timeline. */
  readonly atMs: number;
  /** How long Envoy had been in its state by then, as far as was seen. */
  readonly sinceMs: number;
  /** Number of the last event of the timeline that had happened by then. */
  readonly seq: number;
  readonly files: LiveFiles;
  /** Envoy's log up to then, its newest lines; empty for an Envoy of somebody else. */
  readonly log: readonly string[];
}

export interface MomentKeeperOptions {
  readonly clock: Clock;
  /** Milliseconds of the timeline. */
  readonly nowMs: () => number;
}

type Look = Omit<KeptMoment, 'name'>;

/** Without what is large and told by another. */
const momentFiles = ['config_dump.json', 'stats.txt', 'init_dump.json', 'clusters.json', 'listeners.json', 'ready.txt'] as const;
const pauseMs = 100;
const keptLogLines = 5_000;

/**
 * Looks at all of Envoy again and again, and keeps the last look before something changes: what a report made at the end of the run could
 * not tell any more. Only for runs that write a report.
 */
export class MomentKeeper {
  private readonly kept: KeptMoment[] = [];
  private readonly lines: string[] = [];
  private readonly stopped = new AbortController();
  private readonly options: MomentKeeperOptions;
  /** The last look, nothing having changed since it began. */
  private latest: Look | undefined;
  /** The last look of the state that Envoy is in, though a step fired during it or after it. */
  private spare: Look | undefined;
  private state: { readonly name: string; readonly atMs: number } | undefined;
  private seq = 0;
  private changes = 0;
  private looking: Promise<void> | undefined;

  constructor(options: MomentKeeperOptions) {
    this.options = options;
  }

  /** In the order in which they were. */
  get moments(): readonly KeptMoment[] {
    return this.kept;
  }

  /** Takes a line of Envoy's log. */
  line(line: string): void {
    this.lines.push(line);
    if (this.lines.length > keptLogLines) this.lines.shift();
  }

  /** Takes an event as it happens. */
  event(event: TimelineEvent): void {
    this.seq = event.seq;
    if (event.event !== 'step.fired' && event.event !== 'envoy.state-reached') return;
    this.changes += 1;
    if (event.event === 'step.fired') return this.keep(`before ${/^step \d/.test(event.step) ? '' : 'step '}${event.step}`, this.latest);
    if (this.state) this.keep(`before ${event.state}`, this.latest ?? this.spare);
    this.spare = undefined;
    this.state = { name: event.state, atMs: event.atMs };
  }

  /** Begins to look, until `stop`. */
  follow(admin: AdminClient): void {
    this.looking ??= this.look(admin);
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.looking;
  }

  private keep(name: string, look: Look | undefined): void {
    this.latest = undefined;
    if (!look) return;
    this.kept.push({ ...look, name });
    this.spare = undefined;
  }

  private async look(admin: AdminClient): Promise<void> {
    const { clock, nowMs } = this.options;
    while (!this.stopped.signal.aborted) {
      const { seq, state, changes } = this;
      const logLength = this.lines.length;
      const files = await collectReport(admin, undefined, momentFiles);
      const after = await admin.ready().catch(() => undefined);
      const atMs = nowMs();
      if (state === this.state && this.isWhole(files) && isOneState(files, after, state?.name)) {
        this.spare = { atMs, sinceMs: atMs - (state?.atMs ?? atMs), seq, files, log: this.lines.slice(0, logLength) };
        // Of a look during which a step fired nobody knows on which side of it it was; of the state it surely is.
        if (changes === this.changes) this.latest = this.spare;
      }
      await pause(clock, pauseMs, this.stopped.signal);
    }
  }

  private isWhole(files: LiveFiles): boolean {
    return !this.stopped.signal.aborted && [...files.values()].every((file) => 'text' in file);
  }
}

/** Envoy was in one state from the beginning of a look to its end, and that is the one that the timeline tells. */
function isOneState(files: LiveFiles, after: AdminAnswer | undefined, known: string | undefined): boolean {
  const before = files.get('ready.txt');
  if (!before || !('text' in before) || !after) return false;
  return before.text.trim() === `${after.code} ${after.body}` && (known === undefined || after.body === known);
}
