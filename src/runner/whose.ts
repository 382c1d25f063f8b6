import type { TimelineEvent } from '../events.ts';
import type { Scenario } from '../script/scenario.ts';

/** Whose an event is, of several Envoys: by its name, its node id, or its stream, as soon as that said who it is. */
export class Whose {
  private readonly byNode = new Map<string, string>();
  private readonly byStream = new Map<string, string>();

  constructor({ envoys = [] }: Pick<Scenario, 'envoys'>) {
    for (const { name, nodeId } of envoys) {
      const taken = this.byNode.get(nodeId);
      // Two that call themselves the same cannot be told apart.
      this.byNode.set(nodeId, taken === undefined ? name : `${taken}|${name}`);
    }
  }

  /** The name; undefined if it is nobody's, or not known. */
  of(event: TimelineEvent): string | undefined {
    if ('envoy' in event) return event.envoy;
    const stream = 'stream' in event ? `${event.istiod ?? ''}/${event.stream}` : undefined;
    const named = 'node' in event && event.node !== undefined ? this.byNode.get(event.node) : undefined;
    if (stream === undefined) return named;
    if (named !== undefined) this.byStream.set(stream, named);
    return named ?? this.byStream.get(stream);
  }
}
