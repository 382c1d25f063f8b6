import { dirname } from 'node:path';
import type { Json, JsonObject } from './json.ts';

/** Name of the secret in a token file. */
const secretName = 'istio-token';

/**
 * What a token file holds: a generic secret as Envoy's SDS reads it from a file, with the value of the header `authorization`. It has to
 * be renamed into place, for Envoy watches its folder for moves and never reads half a file.
 */
export function tokenFileText(token: string): string {
  const secret = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
    name: secretName,
    generic_secret: { secret: { inline_string: `Bearer ${token}` } },
  };
  return `${JSON.stringify({ resources: [secret] }, undefined, 2)}\n`;
}

/**
 * `http_filters` of a cluster that puts what is in a token file into each request: the way for an Envoy without an agent, whose
 * `initial_metadata` never changes. Without a file requests go out without the header.
 */
export function tokenFileFilters(path: string): readonly Json[] {
  const source: JsonObject = {
    path_config_source: { path, watched_directory: { path: dirname(path) } },
    resource_api_version: 'V3',
  };
  const generic: JsonObject = {
    '@type': 'type.googleapis.com/envoy.extensions.http.injected_credentials.generic.v3.Generic',
    credential: { name: secretName, sds_config: source },
    header: 'authorization',
  };
  return [
    {
      name: 'envoy.filters.http.credential_injector',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.credential_injector.v3.CredentialInjector',
        overwrite: true,
        allow_request_without_credential: true,
        credential: { name: 'envoy.http.injected_credentials.generic', typed_config: generic },
      },
    },
    {
      name: 'envoy.filters.http.upstream_codec',
      typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec' },
    },
  ];
}
