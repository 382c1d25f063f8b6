import { Metadata, type ServerInterceptingCall } from '@grpc/grpc-js';
import type { Status } from '../protocol/response.ts';

/** The gRPC status codes used in this room (gRPC doc/statuscodes.md). */
export const StatusCode = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

type SentStatus = Parameters<ServerInterceptingCall['sendStatus']>[0];

const messageKey = 'grpc-message';

/**
 * A status text as it stands in the trailer `grpc-message`: UTF-8, of which only `%` and what is not printable ASCII is
 * percent-encoded (gRPC doc/PROTOCOL-HTTP2.md, "Status-Message"), and a space at either end: HTTP/2 has no such field values.
 *
 * @note grpc-js sends `encodeURI(text)`, which encodes spaces and quotes as well. Clients that follow the specification decode it,
 * Envoy does not: its log would say `authentication%20failure`.
 */
export function encodeStatusText(text: string): string {
  if (/^(?! )[ -$&-~]*(?<! )$/.test(text)) return text;
  const bytes = Buffer.from(text, 'utf8');
  const last = bytes.length - 1;
  return Array.from(bytes, (byte, position) => {
    const isPlain = byte > 0x20 && byte <= 0x7e && byte !== 0x25;
    const isInnerSpace = byte === 0x20 && position > 0 && position < last;
    return isPlain || isInnerSpace ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** `status` as grpc-js takes it, with the trailer that overrides its own encoding. */
export function withEncodedText(status: SentStatus): SentStatus {
  const metadata = status.metadata?.clone() ?? new Metadata();
  metadata.set(messageKey, encodeStatusText(status.details ?? ''));
  return { ...status, metadata };
}

/** Our status as an error object that a grpc-js call takes. */
export function asCallError({ code, message }: Status): { readonly code: number; readonly details: string; readonly message: string } {
  return { code, details: message, message };
}

/** A request that holds a name and no more is never as long, in bytes. Reading millions of empty fields would cost all others time. */
const longestNameRequest = 64 * 1024;

/** Why a request that ought to hold a name, of a service or a symbol, is not read; undefined if it is. */
export function nameRequestRefusal({ length }: Uint8Array): Status | undefined {
  if (length <= longestNameRequest) return undefined;
  return { code: StatusCode.resourceExhausted, message: `a request of ${length} bytes, where a name is asked for` };
}
