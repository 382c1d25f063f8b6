import type { ProtocolEvent } from './protocol-event.ts';
import type { ClientRequest } from './request.ts';
import type { Response, Status } from './response.ts';

/** What is to be done after a transition, in this order. */
export type Effect =
  | { readonly kind: 'emit'; readonly event: ProtocolEvent }
  | { readonly kind: 'respond'; readonly response: Response }
  /** Somebody has to be asked who knows the server itself: a question of a debug type. */
  | { readonly kind: 'inform'; readonly request: ClientRequest }
  | { readonly kind: 'close'; readonly status: Status };
