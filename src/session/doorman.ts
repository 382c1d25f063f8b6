import type { Node } from '../protocol/node.ts';
import type { Status } from '../protocol/response.ts';
import type { ProvenIdentity } from './node-state.ts';
import type { StreamDescription } from './stream-port.ts';

/** A client that was let in, as far as can be told before its first request. */
export interface Guest {
  /** Who it has proved to be; absent where nobody was asked. */
  readonly identity?: ProvenIdentity;
  /** Why this client may not be that node; asked once, when the node is known. */
  mayBe(node: Node): Status | undefined;
}

/** Who asks clients for their identity; `istiod.ts` connects one. */
export interface Doorman {
  /**
   * Decides on a new stream, before its first request is read. A promise where somebody has to be asked; requests that arrive meanwhile
   * wait.
   */
  receive(stream: StreamDescription): Guest | Status | Promise<Guest | Status>;
}

const anybody: Guest = { mayBe: () => undefined };

/** Lets everybody in: the default of a lab. */
export const openDoor: Doorman = { receive: () => anybody };

/** True if the stream is refused. */
export function isRefused(decision: Guest | Status): decision is Status {
  return 'code' in decision;
}
