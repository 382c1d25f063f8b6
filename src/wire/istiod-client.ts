import { Client, credentials, type ChannelCredentials } from '@grpc/grpc-js';

/** Where an istiod is, and how it is known to be one. */
export interface IstiodTarget {
  /** `host:port`, or `[IPv6]:port`. */
  readonly address: string;
  /** Absent: plaintext. */
  readonly tls?: IstiodTls;
}

export interface IstiodTls {
  /** What the server's certificate has to end in, PEM; absent: the authorities that Node trusts. */
  readonly rootPem?: string;
  /** The name that the certificate has to hold; also asked for (SNI). */
  readonly serverName: string;
  /** Shown to the server, PEM. */
  readonly certificate?: { readonly chain: string; readonly privateKey: string };
}

/** pilot-agent's keepalive (istio pkg/keepalive/options.go): a ping every 30 s, an answer within 10 s. */
const keepalive = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000, 'grpc.keepalive_permit_without_calls': 0 };

/**
 * A gRPC client with a connection of its own, which opens with the first call. Messages may have any size, both ways (istio
 * pilot/pkg/grpc/grpc.go:ClientOptions). Throws an error of Node if a certificate or key is none.
 */
export function istiodClient({ address, tls }: IstiodTarget): Client {
  return new Client(address, channelCredentials(tls), {
    ...keepalive,
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    ...(tls ? { 'grpc.ssl_target_name_override': tls.serverName, 'grpc.default_authority': tls.serverName } : {}),
  });
}

function channelCredentials(tls: IstiodTls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const { rootPem, certificate } = tls;
  return credentials.createSsl(
    rootPem === undefined ? null : Buffer.from(rootPem),
    certificate ? Buffer.from(certificate.privateKey) : null,
    certificate ? Buffer.from(certificate.chain) : null,
  );
}
