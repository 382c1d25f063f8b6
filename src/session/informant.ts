import type { Node } from '../protocol/node.ts';
import type { Resource } from '../protocol/resource.ts';
import type { Response, Status } from '../protocol/response.ts';
import type { ProvenIdentity } from './node-state.ts';
import type { StreamDescription } from './stream-port.ts';

/** A question about the server itself: a request of a debug type. */
export interface Question {
  readonly typeUrl: string;
  /** The resource names asked for. */
  readonly names: readonly string[];
  readonly stream: number;
  /** Who asks, by its own words. */
  readonly node: Node;
  readonly description: StreamDescription;
  /** Who asks, as it has proved; absent where nobody was asked. */
  readonly identity: ProvenIdentity | undefined;
}

/** What is answered. The resources may be of other types than the question. */
export type Information = Pick<Response, 'controlPlane'> & { readonly resources: readonly Resource[] };

/** Who answers questions about the server itself; `istiod.ts` connects one. */
export interface Informant {
  /** The answer, or the status with which the stream ends. */
  answer(question: Question): Promise<Information | Status>;
}

const nothing: Information = { resources: [] };

/** What `informant` answers; nothing if there is none. A failure of its own is a status, too. */
export async function informationOf(informant: Informant | undefined, question: Question): Promise<Information | Status> {
  try {
    return (await informant?.answer(question)) ?? nothing;
  } catch (error) {
    return { code: 13, message: error instanceof Error ? error.message : String(error) };
  }
}
