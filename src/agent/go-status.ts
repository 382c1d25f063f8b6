import { isIP } from 'node:net';
import { grpcCodeWord } from '../protocol/go-code.ts';

/** How a call ended. */
export interface CallStatus {
  /** gRPC status code. */
  readonly code: number;
  readonly text: string;
}

const unavailable = 14;

/** A status as grpc-go prints it: `rpc error: code = Unauthenticated desc = authentication failure`. */
export function goStatusText({ code, text }: CallStatus): string {
  return `rpc error: code = ${grpcCodeWord(code)} desc = ${text}`;
}

/**
 * A status that grpc-js made by itself because no connection came about, in the words that grpc-go has for the same: who reads the log of
 * a pilot-agent finds them. All other statuses stay as they are.
 */
export function inGoWords(status: CallStatus, address: string): CallStatus {
  if (status.code !== unavailable) return status;
  const desc = dialTrouble(status.text, address) ?? handshakeTrouble(status.text) ?? lostTrouble(status.text);
  return desc === undefined ? status : { ...status, text: desc };
}

function dialTrouble(text: string, address: string): string | undefined {
  const system: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connect: connection refused',
    ECONNRESET: 'read: connection reset by peer',
    ETIMEDOUT: 'connect: connection timed out',
    EHOSTUNREACH: 'connect: no route to host',
    ENETUNREACH: 'connect: network is unreachable',
  };
  const code = Object.keys(system).find((each) => text.includes(each));
  if (code !== undefined) {
    const target = /connect \w+ (\S+:\d+)/.exec(text)?.[1] ?? address;
    return `connection error: desc = "transport: Error while dialing: dial tcp ${target}: ${system[code]}"`;
  }
  if (!/Name resolution failed|ENOTFOUND|EAI_AGAIN/.test(text)) return undefined;
  const host = address.replace(/:\d+$/, '');
  return isIP(host) ? undefined : `connection error: desc = "transport: Error while dialing: dial tcp: lookup ${host}: no such host"`;
}

/** What Node (OpenSSL) says of a certificate, and Go's crypto/x509 for the same. */
const certificateTroubles: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /unable to verify the first certificate|self[- ]signed certificate|unable to get (local )?issuer certificate|UNABLE_TO_/i,
    () => 'certificate signed by unknown authority',
  ],
  [/certificate has expired|certificate is not yet valid|CERT_/i, () => 'certificate has expired or is not yet valid'],
  [
    /IP: (\S+) is not in the cert's list: (.*?)\s*(?:\. Resolution note|$)/,
    ([, ip = '', names = '']) => (names === '' ? 'cannot validate certificate' : `certificate is valid for ${names}, not ${ip}`),
  ],
  [
    /Host: (\S+) is not in the cert's altnames: (.*?)\s*(?:\. Resolution note|$)/,
    ([, host = '', names = '']) =>
      `certificate is valid for ${names.replaceAll(/(?:DNS|IP Address):/g, '')}, not ${host.replace(/\.$/, '')}`,
  ],
];

function handshakeTrouble(text: string): string | undefined {
  for (const [pattern, say] of certificateTroubles) {
    const found = pattern.exec(text);
    if (found) return handshake(`tls: failed to verify certificate: x509: ${say(found)}`);
  }
  if (/wrong version number|packet length too long/i.test(text)) return handshake('tls: first record does not look like a TLS handshake');
  return undefined;
}

function handshake(what: string): string {
  return `connection error: desc = "transport: authentication handshake failed: ${what}"`;
}

/** A connection that was there. pilot-agent expects this one and logs it at debug only. */
function lostTrouble(text: string): string | undefined {
  return /Connection dropped|socket hang up|ended without status/i.test(text) ? 'error reading from server: EOF' : undefined;
}

/** Whether pilot-agent takes such an end for nothing special (istio pilot/pkg/grpc/grpc.go:GRPCErrorType). */
export function isExpectedEnd({ code, text }: CallStatus): boolean {
  if (code === 0 || code === 1 || code === 4) return true;
  return code === unavailable && /client disconnected|error reading from server: EOF|transport is closing/.test(text);
}
