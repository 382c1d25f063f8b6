import { isIP } from 'node:net';
import type { DocumentPath } from '../protobuf/document.ts';
import { portProtocols, type Locality, type Mesh, type NetworkGateway, type PortProtocol, type Service } from '../services/mesh.ts';
import type { ServiceEndpoint, ServicePort } from '../services/mesh.ts';
import type { Findings } from './findings.ts';
import { KnownClusters } from './read-clusters.ts';
import type { MeshForm, ServiceForm } from './schema-services.ts';

const defaultDomain = 'cluster.local';
/** istio's east-west gateway (istio pilot: the port of cross-network traffic). */
const gatewayPort = 15_443;

/** The mesh that `services` and `mesh` describe. What is wrong beyond its form goes to the findings. */
export function readMesh(services: readonly ServiceForm[], mesh: MeshForm = {}, path: DocumentPath, findings: Findings): Mesh {
  const domain = mesh.domain ?? defaultDomain;
  const known = new KnownClusters(mesh, findings);
  const read = services.map((service, i) => readService(service, i, [...path, i], { domain, known, findings }));
  reportTaken(read, path, findings);
  return {
    services: read,
    clusters: known.kept,
    ignored: known.ignored,
    networks: readNetworks(mesh, known, findings),
    domain,
    bind: mesh.bind ?? '0.0.0.0',
    outboundPort: mesh.outbound_port ?? 15_001,
    inboundPort: mesh.inbound_port ?? 15_006,
    ...(mesh.http_proxy_port === undefined ? {} : { httpProxyPort: mesh.http_proxy_port }),
    mtls: mesh.mtls ?? false,
  };
}

interface ServiceReading {
  readonly domain: string;
  readonly known: KnownClusters;
  readonly findings: Findings;
}

function readService(written: ServiceForm, index: number, path: DocumentPath, { domain, known, findings }: ServiceReading): Service {
  const { name, namespace = 'default', ports, endpoints = [], address, cluster_local } = written;
  if (ports.length === 0) findings.report([...path, 'ports'], 'a service without a port is reached by nobody', 'Write ports: [80]');
  if (address !== undefined && isIP(address) === 0)
    findings.report([...path, 'address'], `${JSON.stringify(address)} is no IP address`, 'Write one like 10.96.0.10, or leave it out');
  const read = ports.map((port) => readPort(port));
  for (const [i, port] of read.entries())
    if (read.findIndex((other) => other.port === port.port) < i)
      findings.report([...path, 'ports', i], `port ${port.port} is there twice`, 'Remove one');
  return {
    name,
    namespace,
    hostname: `${name}.${namespace}.svc.${domain}`,
    address: address ?? `240.240.${Math.floor((index + 1) / 256) % 256}.${(index + 1) % 256}`,
    ports: read,
    endpoints: endpoints.flatMap((endpoint, i) => readEndpoint(endpoint, [...path, 'endpoints', i], known, findings)),
    clusterLocal: cluster_local ?? false,
  };
}

function readPort(written: ServiceForm['ports'][number]): ServicePort {
  if (typeof written === 'number') return { port: written, name: 'http', protocol: 'http', targetPort: written };
  const { port, name, protocol = protocolOf(name), target_port } = written;
  return { port, name: name ?? protocol, protocol, targetPort: target_port ?? port };
}

/** As istiod reads a port's name: the word before the first dash. */
function protocolOf(name = 'http'): PortProtocol {
  const [word = ''] = name.split('-');
  return portProtocols.find((protocol) => protocol === word) ?? 'tcp';
}

/** An endpoint; nothing if istiod ignores its cluster. */
function readEndpoint(
  written: NonNullable<ServiceForm['endpoints']>[number],
  path: DocumentPath,
  known: KnownClusters,
  findings: Findings,
): readonly ServiceEndpoint[] {
  const map = typeof written === 'string' ? { address: written } : written;
  const { address, port } = hostAndPort(map.address, typeof written === 'string' ? path : [...path, 'address'], findings);
  const chosen = map.port ?? port;
  const home = known.find(map.cluster, [...path, 'cluster']);
  if (!home) return [];
  return [
    {
      address,
      ...(chosen === undefined ? {} : { port: chosen }),
      cluster: home.id,
      network: map.network ?? home.network ?? '',
      locality: localityOf(map.locality),
      weight: map.weight ?? 1,
      labels: map.labels ?? {},
      ready: map.ready ?? true,
    },
  ];
}

function localityOf(written = ''): Locality {
  const [region, zone, subZone] = written.split('/');
  return { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subZone ? { subZone } : {}) };
}

/** `10.0.0.1`, `10.0.0.1:80`, `[::1]:80`, `::1`, `host:80`. */
function hostAndPort(written: string, path: DocumentPath, findings: Findings): { readonly address: string; readonly port?: number } {
  if (isIP(written) !== 0) return { address: written };
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(written) ?? [];
  const address = bracketed ?? plain;
  if (address === undefined || (bracketed !== undefined && isIP(bracketed) !== 6) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    findings.report(path, `${JSON.stringify(written)} is no address`, 'Write 10.0.0.1, 10.0.0.1:8080 or [fd00::1]:8080');
    return { address: written };
  }
  return { address, ...(port === undefined ? {} : { port: Number(port) }) };
}

function readNetworks(
  { networks = {} }: MeshForm,
  known: KnownClusters,
  findings: Findings,
): Readonly<Record<string, readonly NetworkGateway[]>> {
  return Object.fromEntries(
    Object.entries(networks).map(([name, written]) => {
      const isList = Array.isArray(written);
      const gateways = (isList ? written : [written]).flatMap((each, i): readonly NetworkGateway[] => {
        const path = ['mesh', 'networks', name, ...(isList ? [i] : [])];
        const map = typeof each === 'string' ? { address: each } : each;
        const { address, port = gatewayPort } = hostAndPort(map.address, typeof each === 'string' ? path : [...path, 'address'], findings);
        if (map.cluster === undefined) return [{ address, port }];
        const home = known.find(map.cluster, [...path, 'cluster']);
        return home ? [{ address, port, cluster: home.id }] : [];
      });
      return [name, gateways];
    }),
  );
}

/** Two services of one name, or of one address, would be one to every client. */
function reportTaken(services: readonly Service[], path: DocumentPath, findings: Findings): void {
  for (const [i, { hostname, address }] of services.entries()) {
    const same = services.findIndex((other) => other.hostname === hostname);
    if (same < i) findings.report([...path, i, 'name'], `${hostname} is there already, as service ${same + 1} of the list`, 'Rename one');
    else if (services.findIndex((other) => other.address === address) < i)
      findings.report([...path, i, 'address'], `${address} is the address of another service`, 'Give it one of its own, or none');
  }
}
