import type { Problem, SourcePosition } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { child, everywhere, inside, textOf, type Place } from './bootstrap-place.ts';
import { clusterNamed, staticClusterPlaces, xdsTargets } from './xds-cluster-findings.ts';

/** Where istiod is, by a mesh config. */
export interface ExpectedAddress {
  /** `defaultConfig.discoveryAddress`. */
  readonly address: string;
  /** Words for the mesh config: its file. */
  readonly source: string;
  readonly at?: SourcePosition;
}

/** Where the bootstrap sends its xDS. */
export interface XdsEndpoint {
  readonly cluster: Place;
  readonly name: string;
  readonly place: Place;
  readonly host: string;
  readonly port: number | undefined;
  /** A Unix socket instead. */
  readonly pipe: string | undefined;
  readonly tls: boolean;
}

/** Every endpoint of the clusters that carry xDS. */
export function xdsEndpoints(root: Place): readonly XdsEndpoint[] {
  const clusters = staticClusterPlaces(root);
  const names = [...new Set(xdsTargets(root).map(({ value }) => value))];
  return names.flatMap((name) => {
    const cluster = clusterNamed(clusters, name);
    if (!cluster) return [];
    const tls = child(cluster, 'transport_socket') !== undefined || child(cluster, 'tls_context') !== undefined;
    return everywhere(child(cluster, 'load_assignment'), 'endpoint').flatMap((endpoint) => {
      const socket = inside(endpoint, 'address', 'socket_address');
      const pipe = inside(endpoint, 'address', 'pipe', 'path');
      const place = socket ?? pipe;
      if (!place) return [];
      const port = Number(child(socket, 'port_value')?.value);
      return [
        {
          cluster,
          name: String(name),
          place,
          host: textOf(child(socket, 'address')) ?? '',
          port: Number.isInteger(port) ? port : undefined,
          pipe: textOf(pipe),
          tls,
        },
      ];
    });
  });
}

/** TLS where istiod speaks none, and another address than the mesh config's. */
export function xdsAddressFindings(document: SourceDocument, root: Place, expected: ExpectedAddress | undefined): Problem[] {
  const endpoints = xdsEndpoints(root);
  const wrongTls = endpoints
    .filter(({ port, tls }) => port === 15_010 && tls)
    .map(({ place, name, host }) => ({
      at: document.positionOf(place.path),
      what: `the xDS cluster "${name}" speaks TLS to ${host}:15010, where istiod speaks plaintext: Envoy stays PRE_INITIALIZING`,
      remedy: 'Use 15012 for TLS, or take the transport_socket away',
    }));
  return [...wrongTls, ...(expected ? otherAddress(document, root, endpoints, expected) : [])];
}

/** Plaintext to istiod's TLS port. A lab may want it, as fake-istiod takes both there. */
export function xdsAddressWarnings(document: SourceDocument, root: Place): Problem[] {
  return xdsEndpoints(root)
    .filter(({ port, tls, host }) => port === 15_012 && !tls && looksLikeIstiod(host))
    .map(({ place, name, host }) => ({
      at: document.positionOf(place.path),
      what: `the xDS cluster "${name}" speaks plaintext to ${host}:15012, where a real istiod wants TLS and closes the connection`,
      remedy: 'Use 15010 for plaintext, or add a transport_socket with TLS',
    }));
}

/** Whether a host is one of the names that Istio's control plane has had. */
export function looksLikeIstiod(host: string): boolean {
  return /^(istiod|istio-pilot)([-.]|$)/.test(host);
}

/** With pilot-agent between, the address stands only in the metadata. */
function otherAddress(
  document: SourceDocument,
  root: Place,
  endpoints: readonly XdsEndpoint[],
  { address, source, at }: ExpectedAddress,
): Problem[] {
  const ofAgent = inside(root, 'node', 'metadata', 'PROXY_CONFIG', 'discoveryAddress');
  const told = [
    ...endpoints.filter(({ pipe }) => pipe === undefined).map(({ place, host, port }) => ({ place, said: joined(host, port) })),
    ...(ofAgent ? [{ place: ofAgent, said: String(ofAgent.value) }] : []),
  ];
  const where = at?.line === undefined ? source : `${at.file}:${at.line}`;
  return told
    .filter(({ said }) => said !== address)
    .map(({ place, said }) => ({
      at: document.positionOf(place.path),
      what: `the control plane is at ${said} here, and at ${address} in the mesh config (${where})`,
      remedy: 'One of the two is old or of another revision; make the bootstrap anew from the mesh config that counts',
    }));
}

function joined(host: string, port: number | undefined): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port ?? ''}`;
}
