import { isIP } from 'node:net';
import { lessonAdminPort } from '../envoy/bootstrap.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { child, inside, items, textOf, type Place } from '../sidecar/bootstrap-place.ts';
import { splitHostPort } from '../sidecar/go-text.ts';
import { lessonMetadata } from '../sidecar/lesson-bootstrap.ts';
import { xdsEndpoints } from '../sidecar/xds-address-findings.ts';
import { clusterNamed, speaksHttp2, staticClusterPlaces } from '../sidecar/xds-cluster-findings.ts';
import { missing, right, unjudged, wrong, type LineGrade } from './grade.ts';
import { sameValue } from './same-value.ts';

/** What the student's inputs say of the bootstrap; a part that cannot be known has a text that says why. */
export interface WantedBootstrap {
  readonly node:
    { readonly id: string; readonly cluster: string; readonly metadata: Readonly<Record<string, unknown>> } | { readonly unknown: string };
  /** `host:port`; the mesh config's, or what the workload itself says over it. */
  readonly addresses: readonly string[] | { readonly unknown: string };
}

/** A bootstrap and the way to the lines of its file. */
class Written {
  readonly root: Place;
  readonly #document: SourceDocument;

  constructor(document: SourceDocument) {
    this.#document = document;
    this.root = { value: document.value, path: [] };
  }

  line(place: Place | undefined): number | undefined {
    return place && this.#document.positionOf(place.path).line;
  }

  /** Right if `test` says so; the hint is for what is there, or for what is not. */
  judge(name: string, place: Place | undefined, test: (value: unknown) => boolean, hint: string): LineGrade {
    if (!place) return missing(name, hint);
    return test(place.value) ? right(name, this.line(place)) : wrong(name, hint, { line: this.line(place), found: place.value });
  }
}

/** Judges a bootstrap by what it says, whatever the order of its keys, in snake or camel case, YAML or JSON. */
export function gradeBootstrap(document: SourceDocument, wanted: WantedBootstrap): readonly LineGrade[] {
  const written = new Written(document);
  return [
    ...nodeLines(written, wanted.node),
    adminLine(written),
    ...sourceLines(written, 'cds_config'),
    ...sourceLines(written, 'lds_config'),
    ...adsLines(written),
    ...clusterLines(written, wanted.addresses),
  ];
}

/** Where `ads_config` names its cluster. */
export function adsClusterPlace(root: Place): Place | undefined {
  const services = items(inside(root, 'dynamic_resources', 'ads_config', 'grpc_services'));
  return services.map((service) => inside(service, 'envoy_grpc', 'cluster_name')).find(Boolean);
}

function nodeLines(written: Written, wanted: WantedBootstrap['node']): readonly LineGrade[] {
  const node = child(written.root, 'node');
  const metadata = child(node, 'metadata');
  const names = ['node.id', 'node.cluster', ...lessonMetadata.map((key) => `node.metadata.${key}`)];
  if ('unknown' in wanted) return names.map((name) => unjudged(name, wanted.unknown));
  const id = child(node, 'id');
  return [
    written.judge('node.id', id, (value) => value === wanted.id, idHint(textOf(id), wanted.id)),
    written.judge(
      'node.cluster',
      child(node, 'cluster'),
      (value) => value === wanted.cluster,
      'It is WORKLOAD.NAMESPACE: ISTIO_META_WORKLOAD_NAME (02-env.txt) and the namespace of the pod.',
    ),
    ...lessonMetadata.map((key) => metadataLine(written, key, exactly(metadata, key), wanted.metadata[key])),
  ];
}

/** Of what the manifest does not tell, anything is right. */
function metadataLine(written: Written, key: (typeof lessonMetadata)[number], place: Place | undefined, wanted: unknown): LineGrade {
  const name = `node.metadata.${key}`;
  if (wanted === undefined) return right(name, written.line(place));
  return written.judge(name, place, (value) => sameValue(value, wanted), metadataHints[key]);
}

/** Keys of metadata are data, with no other spelling. */
function exactly(metadata: Place | undefined, key: string): Place | undefined {
  const found = child(metadata, key);
  return found?.path.at(-1) === key ? found : undefined;
}

const metadataHints: Readonly<Record<(typeof lessonMetadata)[number], string>> = {
  CLUSTER_ID: 'By this istiod picks the configuration. It is an ISTIO_META_ variable of the proxy, without that prefix (02-env.txt).',
  MESH_ID: 'An ISTIO_META_ variable of the proxy in inject.yaml, without that prefix.',
  NAMESPACE: "The pod's namespace; what POD_NAMESPACE (02-env.txt) refers to.",
  WORKLOAD_NAME: 'An ISTIO_META_ variable of the proxy, without that prefix (02-env.txt).',
};

function idHint(found: string | undefined, wanted: string): string {
  const form = 'It has four fields between "~": role, IP of the pod, POD.NAMESPACE, DNS domain.';
  if (found === undefined) return form;
  const [fields, right] = [found.split('~'), wanted.split('~')];
  if (fields.length !== 4) return `${form} Here are ${fields.length}.`;
  if (fields[0] !== right[0]) return 'The first field is the role of 01-args.txt.';
  if (isIP(fields[1] ?? '') === 0) return 'The second field is no IP address.';
  if (fields[1] !== right[1]) return 'The second field is the IP of the pod: status.podIP of inject.yaml.';
  if (fields[2] !== right[2]) return 'The third field is the name of a pod of this workload, a dot, and its namespace.';
  if (fields[3]?.includes('$('))
    return 'Nobody expands $(…) in a bootstrap: by now the kubelet has done it. Write the domain that came of it.';
  return 'The fourth field is the domain of 01-args.txt, with $(POD_NAMESPACE) expanded.';
}

function adminLine(written: Written): LineGrade {
  const port = inside(written.root, 'admin', 'address', 'socket_address', 'port_value');
  return written.judge(
    'admin port',
    port,
    (value) => Number(value) === lessonAdminPort,
    'admin.address.socket_address.port_value: the lab asks Envoy at the port that its text names, and not at one of Istio or a listener.',
  );
}

function sourceLines(written: Written, key: 'cds_config' | 'lds_config'): readonly LineGrade[] {
  const source = inside(written.root, 'dynamic_resources', key);
  const what = key === 'cds_config' ? 'clusters' : 'listeners';
  return [
    written.judge(
      `${key}.ads`,
      child(source, 'ads'),
      (value) => typeof value === 'object',
      `dynamic_resources.${key} says where the ${what} come from: over the one ADS stream.`,
    ),
    written.judge(
      `${key}.initial_fetch_timeout`,
      child(source, 'initial_fetch_timeout'),
      isZero,
      'How long does Envoy wait for the first answer before it goes on without? Istio lets it wait for ever; the default is 15 s, and ends in a false LIVE.',
    ),
  ];
}

function isZero(duration: unknown): boolean {
  return typeof duration === 'string' ? /^0*(\.0*)?s$/.test(duration) && duration !== 's' : duration === 0;
}

function adsLines(written: Written): readonly LineGrade[] {
  const { root } = written;
  const ads = inside(root, 'dynamic_resources', 'ads_config');
  const name = adsClusterPlace(root);
  const names = staticClusterPlaces(root).map((cluster) => textOf(child(cluster, 'name')));
  return [
    written.judge(
      'ads_config.api_type',
      child(ads, 'api_type'),
      isGrpc,
      'xDS is a gRPC service: GRPC, or DELTA_GRPC as pilot-agent writes it.',
    ),
    written.judge(
      'ads_config cluster_name',
      name,
      (value) => names.includes(String(value)),
      'ads_config.grpc_services.envoy_grpc.cluster_name has to be the name of a cluster under static_resources, to the letter.',
    ),
  ];
}

function isGrpc(value: unknown): boolean {
  return ['GRPC', 'DELTA_GRPC', 'AGGREGATED_GRPC', 'AGGREGATED_DELTA_GRPC', 2, 3].includes(value as string | number);
}

function clusterLines(written: Written, addresses: WantedBootstrap['addresses']): readonly LineGrade[] {
  const { root } = written;
  const clusters = staticClusterPlaces(root);
  const cluster = clusterNamed(clusters, adsClusterPlace(root)?.value) ?? (clusters.length === 1 ? clusters[0] : undefined);
  const name = textOf(child(cluster, 'name')) ?? 'xds-grpc';
  if (!cluster)
    return [
      missing('static cluster', 'static_resources.clusters holds the one cluster that Envoy has to know by itself: its control plane.'),
    ];
  const endpoint = xdsEndpoints({ ...root, value: aimed(root, name) }).find((one) => one.name === name);
  return [
    typeLine(written, cluster, endpoint?.host),
    addressLine(written, name, endpoint, addresses),
    speaksHttp2(cluster)
      ? right(`${name} HTTP/2`, written.line(cluster))
      : missing(
          `${name} HTTP/2`,
          'gRPC needs HTTP/2, and a cluster speaks HTTP/1.1 unless told: typed_extension_protocol_options, HttpProtocolOptions.',
        ),
  ];
}

/** The address is judged even where `ads_config` names another cluster. */
function aimed({ value }: Place, name: string): unknown {
  const services = [{ envoy_grpc: { cluster_name: name } }];
  return { ...(value as object), dynamic_resources: { ads_config: { grpc_services: services } }, dynamicResources: undefined };
}

function typeLine(written: Written, cluster: Place, host: string | undefined): LineGrade {
  const fitting = host !== undefined && isIP(host) !== 0 ? ['STATIC', 'STRICT_DNS', 0, 1] : ['STRICT_DNS', 'LOGICAL_DNS', 1, 2];
  const hint =
    'How does Envoy find the host? A name is looked up, all its addresses count; STATIC takes IP addresses only, and EDS would need the control plane that it leads to.';
  const type = child(cluster, 'type');
  if (!type) return missing('cluster type', hint);
  return written.judge('cluster type', type, (value) => fitting.includes(value as string | number), hint);
}

function addressLine(
  written: Written,
  name: string,
  endpoint: ReturnType<typeof xdsEndpoints>[number] | undefined,
  addresses: WantedBootstrap['addresses'],
): LineGrade {
  const line = `${name} address`;
  const hint = 'It is the discovery_address of 03-mesh.txt, taken apart into address and port_value.';
  if (!endpoint) return missing(line, hint);
  if ('unknown' in addresses) return unjudged(line, addresses.unknown, written.line(endpoint.place));
  const isRight = addresses.some((address) => {
    const parts = splitHostPort(address);
    return parts?.host === endpoint.host && Number(parts.port) === endpoint.port;
  });
  if (isRight) return right(line, written.line(endpoint.place));
  return wrong(line, hint, { line: written.line(endpoint.place), found: `${endpoint.host}:${endpoint.port ?? ''}` });
}
