import type { ClientRequest } from './request.ts';
import type { Snapshot } from './snapshot.ts';
import type { WithholdRule } from './withhold-rule.ts';

/** What can happen to a stream. `snapshot` is always the one that this stream's node is served now. */
export type Input =
  | { readonly kind: 'request'; readonly request: ClientRequest; readonly snapshot: Snapshot }
  | { readonly kind: 'publish'; readonly snapshot: Snapshot }
  /** Everything is sent again, changed or not. */
  | { readonly kind: 'push-all'; readonly snapshot: Snapshot }
  | { readonly kind: 'rules'; readonly rules: readonly WithholdRule[] }
  /** It is time to tell the client that it may keep what it has of a type, as far as that has a lifetime. */
  | { readonly kind: 'heartbeat'; readonly typeUrl: string };
