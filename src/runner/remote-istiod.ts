import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import type { Node } from '../index.ts';
import { InOrder } from './in-order.ts';
import type { IstiodSide, ReportedEvent, UnfiredStep } from './istiod-side.ts';

/** What a control API tells at one instant. */
export interface RemoteLook {
  /** Milliseconds since its timeline began. */
  readonly nowMs: number;
  /** `seq` of the newest event; 0 if there is none. */
  readonly newestSeq: number;
  readonly neverFired: readonly UnfiredStep[];
}

/** What is needed of a fake istiod in another process, by its control API. All of it rejects with `control.unreachable` and the like. */
export interface RemoteIstiod {
  /** `host:port` of the xDS server, as it sees itself. */
  readonly xdsAddress: string;
  look(): Promise<RemoteLook>;
  /** Every event of the timeline from that `seq` on, as it happens. Ends with the server, or when `signal` aborts. */
  events(fromSeq: number, signal: AbortSignal): AsyncIterable<TimelineEvent>;
  report(event: ReportedEvent): Promise<void>;
  mark(moment: string): Promise<void>;
  /** Who is behind each stream, by its number. */
  nodesByStream(): Promise<ReadonlyMap<unknown, Node>>;
}

export interface RemoteSideOptions {
  readonly istiod: RemoteIstiod;
  readonly clock: Clock;
  /** Events from this `seq` on count. Default 1: all that are kept. */
  readonly fromSeq?: number;
  /** Called once if istiod cannot be followed any more. */
  readonly onLost: (error: FakeIstiodError) => void;
}

/** Only so many milliseconds pass between two looks while something waits for one. */
const lookPauseMs = 2;

/** An istiod in another process, followed over its control API. Events and what is seen of Envoy are put into one order by time. */
export class RemoteSide implements IstiodSide {
  readonly events: TimelineEvent[] = [];
  readonly xdsAddress: string;
  /** Names of steps that need not fire. */
  ignoredSteps: ReadonlySet<string> = new Set();
  private unfired: readonly UnfiredStep[] = [];
  private readonly options: RemoteSideOptions;
  private readonly order: InOrder;
  private readonly listeners = new Set<(event: TimelineEvent) => void>();
  private readonly stopping = new AbortController();
  private nodes: ReadonlyMap<unknown, Node> = new Map();
  /** The clock of its timeline less ours, by the shortest exchange so far. */
  private offset = { ms: 0, tripMs: Infinity };
  private newestSeq = 0;
  /** Runs of before have had their `start`. */
  private earlierSeq = 0;
  /** What a look told that events have to catch up with. */
  private awaited: { readonly seq: number; readonly atMs: number } | undefined;
  private looking = false;
  /** Posts go one after the other, in the order that they were made. */
  private posts: Promise<void> = Promise.resolve();
  private lost = false;
  private wantsNodes = false;
  private readonly onProgress = new Set<() => void>();

  constructor(options: RemoteSideOptions) {
    this.options = options;
    this.xdsAddress = options.istiod.xdsAddress;
    this.order = new InOrder({ tell: (event) => this.tell(event), onWaiting: () => this.lookSoon() });
  }

  /** Begins to follow; resolves when all events of before are known. Error as `look` of the istiod. */
  async start(): Promise<void> {
    const { newestSeq } = await this.look();
    const { fromSeq = 1 } = this.options;
    this.newestSeq = fromSeq - 1;
    this.earlierSeq = newestSeq;
    void this.follow(fromSeq);
    await this.reached(newestSeq);
  }

  /** Resolves when all that was reported has come back as an event, or istiod is lost. */
  async settle(): Promise<void> {
    await this.posts;
    if (this.lost) return;
    const { newestSeq } = await this.look();
    await this.reached(newestSeq);
  }

  /** From now on it is known who is behind each stream, beyond the id: events of a stream wait until it is. */
  async learnNodes(): Promise<void> {
    this.wantsNodes = true;
    this.nodes = await this.options.istiod.nodesByStream();
  }

  /** Ends following, once what was reported has arrived. */
  async stop(): Promise<void> {
    await this.posts;
    this.end();
  }

  get nowMs(): number {
    return this.options.clock.now() + this.offset.ms;
  }

  get neverFired(): readonly UnfiredStep[] {
    return this.unfired.filter(({ step }) => !this.ignoredSteps.has(step));
  }

  nodeOf(stream: unknown): Node | undefined {
    return this.nodes.get(stream);
  }

  on(listener: (event: TimelineEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  report(event: ReportedEvent): void {
    this.post(() => this.options.istiod.report(event));
  }

  /** Marks a moment in the timeline. */
  mark(moment: string): void {
    this.post(() => this.options.istiod.mark(moment));
  }

  inOrder(atMs: number, act: () => void): void {
    this.order.at(atMs, act);
  }

  private post(send: () => Promise<void>): void {
    this.posts = this.posts.then(send).catch((error: unknown) => this.lose(error));
  }

  /** Resolves when the event of that `seq` has been told, or none comes any more. */
  private reached(seq: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.newestSeq < seq && !this.lost) return;
        this.onProgress.delete(look);
        resolve();
      };
      this.onProgress.add(look);
      look();
    });
  }

  private progress(): void {
    for (const look of [...this.onProgress]) look();
  }

  private async follow(fromSeq: number): Promise<void> {
    const { istiod } = this.options;
    try {
      for await (const event of istiod.events(fromSeq, this.stopping.signal)) {
        if (this.wantsNodes && 'stream' in event && !this.nodes.has(event.stream)) this.nodes = await istiod.nodesByStream();
        this.newestSeq = event.seq;
        this.order.event(event);
        this.catchUp();
        this.progress();
      }
      this.lose(new FakeIstiodError('istiod.stopped', 'the fake istiod was stopped while it was watched'));
    } catch (error) {
      this.lose(error);
    }
  }

  private tell(event: TimelineEvent): void {
    if (event.seq <= this.earlierSeq && event.event === 'moment.marked' && event.moment === 'start') return;
    this.events.push(event);
    for (const listener of [...this.listeners]) listener(event);
  }

  /** Something that was seen waits for the events of before it; one look at a time tells which they are. */
  private lookSoon(): void {
    if (this.looking || this.awaited || this.lost) return;
    this.looking = true;
    this.options.clock.after(lookPauseMs, () => {
      this.look()
        .then(({ nowMs, newestSeq }) => {
          this.looking = false;
          this.awaited = { seq: newestSeq, atMs: nowMs };
          this.catchUp();
        })
        .catch((error: unknown) => this.lose(error));
    });
  }

  private catchUp(): void {
    if (!this.awaited || this.newestSeq < this.awaited.seq) return;
    const { atMs } = this.awaited;
    this.awaited = undefined;
    this.order.confirm(atMs);
  }

  private async look(): Promise<RemoteLook> {
    const { istiod, clock } = this.options;
    const sentMs = clock.now();
    const look = await istiod.look();
    const tripMs = clock.now() - sentMs;
    if (tripMs < this.offset.tripMs) this.offset = { ms: look.nowMs - (sentMs + tripMs / 2), tripMs };
    this.unfired = look.neverFired;
    return look;
  }

  private end(): void {
    this.lost = true;
    this.stopping.abort();
    this.progress();
  }

  private lose(error: unknown): void {
    if (this.lost) return;
    this.end();
    this.options.onLost(FakeIstiodError.from(error));
  }
}
