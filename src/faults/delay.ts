import type { StreamSort } from '../protocol/stream-matcher.ts';
import type { Fault } from './fault.ts';

/** Every response of a type leaves `delayMs` later. Later ones of the same type never overtake it. */
export function delay(typeUrl: string, delayMs: number, streams?: StreamSort): Fault {
  const fault: Fault = {
    name: 'delay',
    typeUrl,
    ...(streams ? { streams } : {}),
    affect: (delivery) => ({ ...delivery, delayMs: delivery.delayMs + delayMs }),
    struck: () => fault,
  };
  return fault;
}
