import type { Evidence } from './evidence.ts';
import { quoted } from './evidence.ts';
import type { Seen } from './seen.ts';
import type { Standing } from './standing.ts';
import { failures } from './asked.ts';

/** Envoy reaches istiod through pilot-agent's socket. */
export function isSocket(seen: Seen): boolean {
  const addresses = seen.xdsStatics.flatMap((cluster) => cluster.addresses);
  if (addresses.length > 0) return addresses.some((address) => address.startsWith('unix:'));
  // pilot-agent's bootstrap gives each static cluster a name for stats that ends in a semicolon.
  return seen.xds('upstream_cx_connect_fail')?.name.includes(';.') ?? false;
}

/** What the counters of a name that is not resolved look like. */
export function nameFailures(seen: Seen): readonly Evidence[] {
  const none = seen.xdsPositive('upstream_cx_none_healthy');
  const updates = seen.xdsPositive('update_failure');
  const unused = [seen.xds('upstream_cx_total')].flatMap((stat) => (stat?.value === 0 ? [stat] : []));
  const hosts = [seen.xds('membership_total')].flatMap((stat) => (stat?.value === 0 ? [stat] : []));
  // Since it names the cluster, pilot-agent is in between where certificates are waited for; before, such a cluster had no host, too.
  const words = seen.log(/stream to \S+ closed.*no healthy upstream/);
  if (failures(seen).length === 0 && words.length === 0) return [];
  if (updates.length > 0 && seen.xdsPositive('upstream_cx_total').length === 0) return [...updates, ...unused, ...hosts, ...failures(seen)];
  if (none.length > 0 || (hosts.length > 0 && unused.length > 0)) return [...none, ...hosts, ...unused, ...failures(seen)];
  return words;
}

/** Pods on the node's network whose DNS does not know the cluster's names. */
export function hostNetworks(seen: Seen): readonly Evidence[] {
  return seen
    .of('workload')
    .flatMap(({ workload: { hostNetwork, dnsPolicy } }) =>
      hostNetwork && dnsPolicy !== 'ClusterFirstWithHostNet' && dnsPolicy !== 'None' ? [hostNetwork] : [],
    );
}

/** Connections fail, and neither TLS nor a timeout is to blame. */
export function refusedLike(seen: Seen, standing: Standing): boolean {
  if (isSocket(seen) || standing.isConnected === true) return false;
  const others = seen.xdsPositive(
    'ssl.connection_error',
    'ssl.fail_verify_error',
    'ssl.fail_verify_san',
    'ssl.fail_verify_no_cert',
    'upstream_cx_connect_timeout',
  );
  return others.length === 0 && seen.xdsPositive('upstream_cx_connect_fail').length > 0 && failures(seen).length > 0;
}

/** A stream is open and brought clusters: what istiod told of earlier failures is over. */
export function isHealed({ hasClusters, isConnected }: Standing): boolean {
  return hasClusters === true && isConnected === true;
}

/** istiod addresses with the plaintext port, in mesh config and manifests. */
export function plaintextAddresses(seen: Seen): readonly Evidence[] {
  const meshes = seen
    .of('mesh')
    .flatMap(({ mesh: { discoveryAddress } }) =>
      discoveryAddress && /:15010$/.test(discoveryAddress.value) ? [discoveryAddress.evidence] : [],
    );
  const annotations = seen
    .of('workload')
    .flatMap(({ workload }) =>
      [workload.annotations.get('proxy.istio.io/config'), workload.env.get('PROXY_CONFIG')].flatMap((one) =>
        one && /discoveryAddress"?:\s*"?[^"\s,}]*:15010/.test(one.value) ? [one.evidence] : [],
      ),
    );
  return [...meshes, ...annotations, ...plainStatics(seen)];
}

function plainStatics(seen: Seen): readonly Evidence[] {
  return seen.xdsStatics
    .filter(({ tls, addresses }) => tls && addresses.some((address) => address.endsWith(':15010')))
    .map(({ at, name }) => quoted(at, `${name} leads to port 15010 with TLS`));
}

/** Something of istiod's port answered: TLS got as far as a verdict, bytes came, or istiod itself saw a connection. */
export function isReached(seen: Seen): boolean {
  const counters = [
    'ssl.connection_error',
    'ssl.fail_verify_error',
    'ssl.fail_verify_san',
    'ssl.handshake',
    'upstream_cx_rx_bytes_total',
  ] as const;
  if (seen.xdsPositive(...counters).length > 0 || seen.log(/CERTIFICATE_VERIFY_FAILED|TLS_error/).length > 0) return true;
  return ['connection.accepted', 'handshake.failed', 'stream.opened', 'stream.refused'].some((event) => seen.events(event).length > 0);
}
