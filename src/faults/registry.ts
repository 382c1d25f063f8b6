import type { Node } from '../protocol/node.ts';
import type { Response } from '../protocol/response.ts';
import { matchesStream } from '../protocol/stream-matcher.ts';
import type { Delivery } from './delivery.ts';
import type { Fault } from './fault.ts';

export { delay } from './delay.ts';
export { drop } from './drop.ts';

/** What becomes of a response, and of the faults that struck it. */
export interface Outgoing {
  readonly delivery: Delivery;
  readonly faults: readonly Fault[];
}

/** Lets every fault in force that concerns this response strike it, in the order they were set. */
export function applyFaults(faults: readonly Fault[], response: Response, node: Node | undefined): Outgoing {
  let delivery: Delivery = { response, delayMs: 0, dropped: false };
  const left: Fault[] = [];
  for (const fault of faults) {
    const strikes = fault.typeUrl === response.typeUrl && matchesStream(fault.streams, { variant: response.variant, node });
    if (strikes) delivery = fault.affect(delivery);
    const after = strikes ? fault.struck() : fault;
    if (after) left.push(fault.id === undefined ? after : { ...after, id: fault.id });
  }
  return { delivery, faults: left };
}
