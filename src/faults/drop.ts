import type { StreamSort } from '../protocol/stream-matcher.ts';
import type { Fault } from './fault.ts';

/** The next `count` responses of a type are counted as sent but never leave: the server believes them delivered. */
export function drop(typeUrl: string, count: number, streams?: StreamSort): Fault {
  return {
    name: 'drop',
    typeUrl,
    ...(streams ? { streams } : {}),
    left: count,
    affect: (delivery) => ({ ...delivery, dropped: true }),
    struck: () => (count > 1 ? drop(typeUrl, count - 1, streams) : undefined),
  };
}
