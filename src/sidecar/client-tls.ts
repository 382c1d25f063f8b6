import type { Json, JsonObject } from '../envoy/json.ts';

export interface ClientTlsOptions {
  /** Server name of `ISTIO_MUTUAL` where the settings name none. */
  readonly sni: string;
  readonly h2: boolean;
  /** `TLS_CLIENT_*` of the node's metadata go before the settings. */
  readonly metadata: JsonObject;
}

/** A secret that pilot-agent serves on its socket. */
export function sdsSecret(name: string, cluster = 'sds-grpc'): JsonObject {
  return {
    name,
    sds_config: {
      api_config_source: {
        api_type: 'GRPC',
        grpc_services: [{ envoy_grpc: { cluster_name: cluster } }],
        set_node_on_first_message_only: true,
        transport_api_version: 'V3',
      },
      resource_api_version: 'V3',
    },
  };
}

/**
 * Istio's ClientTLSSettings (of a tracer, a metrics or access log service) as a transport socket; undefined for mode DISABLE.
 *
 * @see istio pkg/bootstrap/option/convert.go:tlsContextConvert
 */
export function socketOfTls(settings: JsonObject, { sni, h2, metadata }: ClientTlsOptions): JsonObject | undefined {
  const mode = settings['mode'] ?? 'DISABLE';
  const file = (key: string, field: string): string => String(metadata[key] || settings[field] || '');
  const root = file('TLS_CLIENT_ROOT_CERT', 'caCertificates');
  const [chain, key] = [file('TLS_CLIENT_CERT_CHAIN', 'clientCertificate'), file('TLS_CLIENT_KEY', 'privateKey')];
  if (mode === 'SIMPLE' || mode === 'MUTUAL') {
    const certificate = mode === 'MUTUAL' && chain !== '' && key !== '' ? `file-cert:${chain}~${key}` : undefined;
    return tlsSocket({
      settings,
      certificate,
      root: root === '' ? undefined : `file-root:${root}`,
      sni: String(settings['sni'] ?? ''),
      alpn: h2 ? ['h2'] : [],
    });
  }
  if (mode !== 'ISTIO_MUTUAL') return undefined;
  return tlsSocket({
    settings,
    certificate: 'default',
    root: 'ROOTCA',
    sni: String(settings['sni'] || sni),
    alpn: h2 ? ['istio', 'h2'] : [],
  });
}

/** @note For the workload's own certificate Envoy waits for ever. @see istio pkg/model/authentication.go */
function ownSecret(name: string): JsonObject {
  const secret = sdsSecret(name);
  return { ...secret, sds_config: { ...(secret['sds_config'] as JsonObject), initial_fetch_timeout: '0s' } };
}

interface TlsSocket {
  readonly settings: JsonObject;
  readonly certificate: string | undefined;
  readonly root: string | undefined;
  readonly sni: string;
  readonly alpn: readonly string[];
}

function tlsSocket({ settings, certificate, root, sni, alpn }: TlsSocket): JsonObject {
  const secret = (name: string): JsonObject => (name === 'default' || name === 'ROOTCA' ? ownSecret(name) : sdsSecret(name));
  const names = Array.isArray(settings['subjectAltNames']) ? (settings['subjectAltNames'] as readonly Json[]) : [];
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      common_tls_context: {
        ...(alpn.length > 0 ? { alpn_protocols: alpn } : {}),
        ...(certificate === undefined ? {} : { tls_certificate_sds_secret_configs: [secret(certificate)] }),
        combined_validation_context: {
          default_validation_context: names.length > 0 ? { match_subject_alt_names: names.map((exact) => ({ exact })) } : {},
          ...(root === undefined ? {} : { validation_context_sds_secret_config: secret(root) }),
        },
      },
      ...(sni === '' ? {} : { sni }),
    },
  };
}
