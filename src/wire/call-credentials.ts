import type { Metadata } from '@grpc/grpc-js';
import type { Credentials } from '../auth/credentials.ts';
import type { Connection } from './connections.ts';

/** What a caller brings along: two headers of its call, and what its connection has shown. */
export function credentialsOf(metadata: Metadata, { peer, secure, certificateUri }: Connection): Credentials {
  const authorization = header(metadata, 'authorization');
  const clusterId = header(metadata, 'clusterid');
  return {
    peer,
    secure,
    ...(certificateUri === undefined ? {} : { certificateUri }),
    ...(authorization === undefined ? {} : { authorization }),
    ...(clusterId === undefined ? {} : { clusterId }),
  };
}

/** The first value of a header, as istiod reads it. */
function header(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return value?.toString();
}
