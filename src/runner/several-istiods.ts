import type { TimelineEvent } from '../events.ts';
import type { FakeIstiod, Node } from '../index.ts';
import type { IstiodSide, ReportedEvent, UnfiredStep } from './istiod-side.ts';

/** One of several istiods in this process. */
export interface NamedIstiod {
  readonly name: string;
  readonly istiod: FakeIstiod;
}

/** Put into the timeline of each of them by who watches; told once. */
function isReported({ event }: TimelineEvent): boolean {
  return event.startsWith('envoy.') || event.startsWith('expectation.');
}

/**
 * Several istiods as one: one timeline with the events of all, each saying whose it is. What happens to Envoy, and every moment that one of
 * them marks, all of them get to know; of each other's streams they know nothing, as in life.
 */
export class SeveralIstiods implements IstiodSide {
  readonly events: TimelineEvent[] = [];
  private readonly istiods: readonly NamedIstiod[];
  /** Milliseconds by which the timeline of each is behind the first one's. */
  private readonly offsets = new Map<string, number>();
  private readonly listeners = new Set<(event: TimelineEvent) => void>();
  private readonly moments = new Set<string>();
  private readonly first: FakeIstiod;

  constructor(istiods: readonly [NamedIstiod, ...NamedIstiod[]]) {
    this.istiods = istiods;
    this.first = istiods[0].istiod;
    for (const { name, istiod } of istiods) this.offsets.set(name, this.first.timeline.nowMs - istiod.timeline.nowMs);
    const before = istiods.flatMap(({ name, istiod }) => istiod.timeline.events.map((event) => ({ name, event: this.timed(name, event) })));
    for (const { name, event } of before.sort((a, b) => a.event.atMs - b.event.atMs)) this.take(name, event);
    for (const { name, istiod } of istiods) istiod.on((event) => this.take(name, this.timed(name, event)));
  }

  get nowMs(): number {
    return this.first.timeline.nowMs;
  }

  get xdsAddress(): string {
    return `${this.first.host}:${this.first.port}`;
  }

  get neverFired(): readonly UnfiredStep[] {
    return this.istiods.flatMap(({ istiod }) => istiod.neverFired);
  }

  nodeOf(stream: unknown, name?: string): Node | undefined {
    const { istiod } = this.istiods.find((one) => one.name === name) ?? {};
    return istiod?.sessions.find(({ state }) => state.stream === stream)?.state.node;
  }

  on(listener: (event: TimelineEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  report(event: ReportedEvent): void {
    for (const { istiod } of this.istiods) istiod.report(event);
  }

  mark(moment: string): void {
    for (const { istiod } of this.istiods) istiod.mark(moment);
  }

  inOrder(_: number, act: () => void): void {
    act();
  }

  private timed(name: string, event: TimelineEvent): TimelineEvent {
    return { ...event, atMs: event.atMs + (this.offsets.get(name) ?? 0) };
  }

  private take(name: string, event: TimelineEvent): void {
    const isFirst = this.istiods[0]?.name === name;
    if (isReported(event)) return isFirst ? this.tell(event) : undefined;
    if (event.event !== 'moment.marked') return this.tell({ ...event, istiod: name });
    const { moment } = event;
    if (moment === 'start') return isFirst ? this.tell(event) : undefined;
    if (this.moments.has(moment)) return;
    this.moments.add(moment);
    this.tell(event);
    for (const other of this.istiods) if (other.name !== name) other.istiod.mark(moment);
  }

  private tell(event: TimelineEvent): void {
    const told = { ...event, seq: this.events.length + 1 };
    this.events.push(told);
    for (const listener of [...this.listeners]) listener(told);
  }
}
