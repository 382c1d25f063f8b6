import type { Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { child, everywhere, inside, textOf, type Place } from './bootstrap-place.ts';
import { nodeFindings, nodeWarnings } from './node-findings.ts';
import { xdsAddressFindings, xdsAddressWarnings, xdsEndpoints, type ExpectedAddress } from './xds-address-findings.ts';
import { xdsClusterFindings } from './xds-cluster-findings.ts';

/** What is wrong with a bootstrap, and what is odd but may be meant. */
export interface BootstrapFindings {
  readonly findings: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export interface BootstrapFindingsOptions {
  /** The mesh config's address of istiod. */
  readonly expected?: ExpectedAddress;
}

/**
 * What Envoy does not say of a bootstrap in `--mode validate`, or says without telling where: an ADS cluster that is not among the static
 * ones or speaks no HTTP/2, a fetch timeout that ends in a false LIVE, a node that istiod refuses, an address that is not the mesh config's.
 */
export function bootstrapFindings(document: SourceDocument, { expected }: BootstrapFindingsOptions = {}): BootstrapFindings {
  const root: Place = { value: document.value, path: [] };
  return {
    findings: [
      ...xdsClusterFindings(document, root),
      ...fetchTimeoutFindings(document, root),
      ...nodeFindings(document, root),
      ...xdsAddressFindings(document, root, expected),
      ...oldTransportFindings(document, root),
    ],
    warnings: [...nodeWarnings(document, root), ...xdsAddressWarnings(document, root), ...agentSocketWarnings(document, root)],
  };
}

function fetchTimeoutFindings(document: SourceDocument, root: Place): Problem[] {
  const dynamic = child(root, 'dynamic_resources');
  return ['cds_config', 'lds_config'].flatMap((key) => {
    const source = child(dynamic, key);
    if (!source || child(source, 'path') || child(source, 'path_config_source')) return [];
    const timeout = child(source, 'initial_fetch_timeout');
    if (timeout && isZero(timeout.value)) return [];
    const said = timeout
      ? `initial_fetch_timeout of ${key} is ${String(timeout.value)}`
      : `${key} has no initial_fetch_timeout, so it is Envoy's default of 15s`;
    return [
      {
        at: document.positionOf((timeout ?? source).path, timeout ? 'value' : 'key'),
        what: `${said}: an answer that stays out ends in a false LIVE, with nothing configured`,
        remedy: "Istio's bootstrap has 0s, which waits for ever",
      },
    ];
  });
}

function isZero(duration: unknown): boolean {
  return typeof duration === 'string' ? /^0(\.0*)?s$/.test(duration) : duration === 0;
}

/** @note AUTO, the default, meant v2 once; since Envoy 1.18 there is only v3, and AUTO is taken for it. */
function oldTransportFindings(document: SourceDocument, root: Place): Problem[] {
  const versions = ['transport_api_version', 'resource_api_version'].flatMap((key) => everywhere(child(root, 'dynamic_resources'), key));
  return versions
    .filter(({ value }) => textOf({ value, path: [] }) === 'V2')
    .map(({ path }) => ({
      at: document.positionOf(path),
      what: "is V2: Envoy's v2 API, which Envoy 1.18 dropped (2021)",
      remedy: 'Write V3, and give resources of API v3',
    }));
}

/** What only pilot-agent serves: without it beside Envoy these sockets do not exist. */
function agentSocketWarnings(document: SourceDocument, root: Place): Problem[] {
  const pipes = xdsEndpoints(root).filter(({ pipe }) => pipe?.endsWith('/XDS'));
  return pipes.map(({ place, pipe, name }) => ({
    at: document.positionOf(place.path),
    what: `the xDS cluster "${name}" is the Unix socket ${pipe ?? ''}, which only pilot-agent opens${pipe?.startsWith('.') ? ' (relative to where Envoy is started)' : ''}: a bare Envoy stays PRE_INITIALIZING with this bootstrap`,
    remedy: inside(root, 'node', 'metadata', 'PROXY_CONFIG')
      ? 'For an Envoy without pilot-agent make one with `fake-istiod bootstrap --shape lesson`'
      : 'Start pilot-agent or its stand-in beside it',
  }));
}
