const reasons: readonly (readonly [RegExp, string])[] = [
  [/ALERT_UNKNOWN_CA/, 'the client does not trust our root certificate (TLS alert "unknown ca")'],
  [
    /ALERT_BAD_CERTIFICATE/,
    'the client rejects our certificate (TLS alert "bad certificate"): it does not trust our root, or expects another name than those in it',
  ],
  [/ALERT_CERTIFICATE_EXPIRED/, 'the client takes our certificate for expired or not yet valid (TLS alert "certificate expired")'],
  [/ALERT_CERTIFICATE_UNKNOWN/, 'the client rejects our certificate (TLS alert "certificate unknown")'],
  [/PEER_DID_NOT_RETURN_A_CERTIFICATE/, 'the client shows no certificate, and one is demanded'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW/, 'no shared TLS version: at least 1.2 is asked for'],
  [/NO_SHARED_CIPHER|HANDSHAKE_FAILURE/, 'no shared cipher'],
  [/WRONG_VERSION_NUMBER|HTTP_REQUEST|BAD_RECORD|UNEXPECTED_MESSAGE|LENGTH|PACKET|DECODE|RECORD/, 'what the client sends is not TLS'],
  [/HANDSHAKE_TIMEOUT/, 'the client did not finish the handshake in time'],
  [/ECONNRESET|EPIPE/, 'the client closed the connection during the handshake'],
];

/** Why a TLS handshake failed, in words. `offered` is what we offer by ALPN. */
export function handshakeFailure(error: unknown, offered: string | undefined): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const text = `${code ?? ''} ${message}`.toUpperCase().replaceAll(' ', '_');
  if (text.includes('NO_APPLICATION_PROTOCOL')) return `no shared ALPN protocol: the client does not offer "${offered ?? ''}"`;
  return reasons.find(([pattern]) => pattern.test(text))?.[1] ?? message;
}
