import type { TimelineEvent } from '../events.ts';
import type { FakeIstiod, Node } from '../index.ts';

/** What can be put into the timeline from Envoy's side. */
export type ReportedEvent = Parameters<FakeIstiod['report']>[0];

/** A step that should have fired and has not, and what it waits for, in English. */
export type UnfiredStep = FakeIstiod['neverFired'][number];

/** istiod as a run sees it: in this very process, or over its control API. */
export interface IstiodSide {
  /** Oldest first; grows. */
  readonly events: readonly TimelineEvent[];
  /** Milliseconds since the timeline began. */
  readonly nowMs: number;
  /** `host:port` of the xDS server. */
  readonly xdsAddress: string;
  readonly neverFired: readonly UnfiredStep[];
  /** The node of a stream, once it has said who it is; `istiod`: of several istiods the one that counts the stream. */
  nodeOf(stream: unknown, istiod?: string): Node | undefined;
  /** Marks a moment. */
  mark(moment: string): void;
  /** Calls `listener` with every event from now on; the returned function ends it. */
  on(listener: (event: TimelineEvent) => void): () => void;
  /** Puts an event of the proxy or of an expectation into the timeline. */
  report(event: ReportedEvent): void;
  /**
   * Calls `act` once every event up to `atMs` has been told to the listeners, and before any later one. What was seen of Envoy at an instant
   * counts between the events of before and those of after it, however long these take to get here.
   */
  inOrder(atMs: number, act: () => void): void;
}

/** An istiod in this process: its events are told as they happen, so nothing has to wait for its turn. */
export function localSide(istiod: FakeIstiod): IstiodSide {
  return {
    events: istiod.timeline.events,
    get nowMs() {
      return istiod.timeline.nowMs;
    },
    get xdsAddress() {
      return `${istiod.host}:${istiod.port}`;
    },
    get neverFired() {
      return istiod.neverFired;
    },
    nodeOf: (stream) => istiod.sessions.find(({ state }) => state.stream === stream)?.state.node,
    mark: (moment) => istiod.mark(moment),
    on: (listener) => istiod.on(listener),
    report: (event) => istiod.report(event),
    inOrder: (_, act) => act(),
  };
}
