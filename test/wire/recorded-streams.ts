import type { ClientRequest } from '../../src/protocol/request.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import type { Response, Status } from '../../src/protocol/response.ts';
import type { StreamAcceptor, StreamDescription, StreamHandler, StreamPort } from '../../src/session/stream-port.ts';
import { Arrivals } from './arrivals.ts';

export const clusterType = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';

/** A stream as the session would see it. */
export interface RecordedStream {
  readonly description: StreamDescription;
  readonly port: StreamPort;
  readonly requests: Arrivals<ClientRequest>;
  readonly closed: Promise<{ readonly by: 'client' | 'server'; readonly status: Status }>;
}

/** Takes all streams, or refuses them with `refusal`, and does nothing with them: the test does. */
export class RecordedStreams implements StreamAcceptor {
  readonly opened = new Arrivals<RecordedStream>();
  refusal: Status | undefined;
  /** Thrown at the next request. */
  defect: Error | undefined;

  open(description: StreamDescription, port: StreamPort): StreamHandler | undefined {
    if (this.refusal) {
      port.end(this.refusal);
      return undefined;
    }
    const requests = new Arrivals<ClientRequest>();
    const { promise, resolve } = withResolvers<{ by: 'client' | 'server'; status: Status }>();
    this.opened.push({ description, port, requests, closed: promise });
    return {
      receive: (request) => {
        if (this.defect) throw this.defect;
        requests.push(request);
      },
      closed: (by, status) => resolve({ by, status }),
    };
  }
}

export function withResolvers<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

export function cluster(name: string, value: Uint8Array = Buffer.concat([Buffer.from([10, name.length]), Buffer.from(name)])): Resource {
  return { typeUrl: clusterType, name, value };
}

/** A response as a session makes it. */
export function response(variant: 'sotw' | 'delta', parts: Partial<Response> = {}): Response {
  return { variant, typeUrl: clusterType, version: 'v1', nonce: 'n1', resources: [], removed: [], cause: 'reply', sequence: 1, ...parts };
}
