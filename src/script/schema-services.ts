import * as v from 'valibot';
import { portProtocols } from '../services/mesh.ts';
import { count, described, expecting, flag, form, listOf, mapOf, oneOf, text, wordOf } from './schema-parts.ts';

const portWords = expecting('a port from 1 to 65535');
const portNumber = v.pipe(v.number(portWords), v.integer(portWords), v.minValue(1, portWords), v.maxValue(65_535, portWords));
const anyPort = expecting('a port from 0 to 65535');
/** 0: one that Envoy chooses. */
const listenPort = v.pipe(v.number(anyPort), v.integer(anyPort), v.minValue(0, anyPort), v.maxValue(65_535, anyPort));
const protocolForm = described(wordOf(portProtocols), 'What travels over it; default: as the name begins (http-web, tcp-db), else http');

const servicePortForm = oneOf('a port number or a map', [
  portNumber,
  form('a port', {
    port: described(portNumber, "The service's port"),
    name: v.optional(described(text, "As in a Service's manifest; default the protocol")),
    protocol: v.optional(protocolForm),
    target_port: v.optional(described(portNumber, 'The port of the pods; default the same')),
  }),
]);

const labelsForm = mapOf(text, 'a map of labels');
const weightForm = count;

const endpointForm = oneOf('an address like 10.0.0.1 or 10.0.0.1:8080, or a map', [
  text,
  form('an endpoint', {
    address: described(text, 'IP address or host name'),
    port: v.optional(described(portNumber, 'In place of the target port of every port')),
    cluster: v.optional(
      described(text, 'The cluster id of its registry, or its name under mesh.clusters; default Kubernetes, or the first'),
    ),
    network: v.optional(described(text, "Its network; default its cluster's, else the one of whoever asks")),
    locality: v.optional(described(text, 'region/zone/subzone')),
    weight: v.optional(described(weightForm, 'Default 1')),
    labels: v.optional(described(labelsForm, "The pod's labels")),
    ready: v.optional(described(flag, 'false: sent to nobody; default true')),
  }),
]);

/** A service as written. */
export const serviceForm = form('a service', {
  name: described(text, 'As in its manifest'),
  namespace: v.optional(described(text, 'Default: default')),
  ports: described(listOf(servicePortForm, 'ports'), 'Port numbers, or maps with name, protocol and target_port'),
  endpoints: v.optional(described(listOf(endpointForm, 'endpoints'), 'Where its pods are, in all clusters; left out: nowhere')),
  address: v.optional(described(text, 'Its virtual IP address; default one of 240.240.0.0/16')),
  cluster_local: v.optional(described(flag, "true: only endpoints of the proxy's own cluster; default false")),
});

const gatewayMap = form('a gateway', {
  address: described(text, 'Like 203.0.113.7 or 203.0.113.7:15443'),
  cluster: v.optional(described(text, 'Its cluster: goes before others for endpoints of the same cluster')),
});
const oneGateway = oneOf('an address like 203.0.113.7 or 203.0.113.7:15443, or a map', [text, gatewayMap]);
const gatewayForm = oneOf('an address like 203.0.113.7 or 203.0.113.7:15443, a map with address and cluster, or a list of them', [
  text,
  gatewayMap,
  listOf(oneGateway, 'addresses or maps'),
]);

const clusterForm = form('a cluster', {
  name: described(text, 'As endpoints and gateways mean it'),
  id: v.optional(described(text, 'The cluster id by which istiod knows it; default its name')),
  network: v.optional(described(text, 'The network of its endpoints; default: none is told')),
});

/** The mesh around the services. */
export const meshForm = form('mesh', {
  domain: v.optional(described(text, 'The cluster domain; default cluster.local')),
  bind: v.optional(described(text, 'The address that virtualOutbound and virtualInbound listen at; default 0.0.0.0')),
  outbound_port: v.optional(described(listenPort, 'Of virtualOutbound; default 15001, 0: a free one')),
  inbound_port: v.optional(described(listenPort, 'Of virtualInbound; default 15006, 0: a free one')),
  http_proxy_port: v.optional(
    described(listenPort, 'A listener at 127.0.0.1 for `curl -x`, that reaches every HTTP service; default: none'),
  ),
  mtls: v.optional(
    described(flag, 'true: clusters offer mutual TLS, with certificates that pilot-agent serves over sds-grpc; default false'),
  ),
  clusters: v.optional(
    described(
      listOf(clusterForm, 'clusters'),
      "The clusters that istiod is told of, its own first; one whose id is taken is ignored with istiod's own words (registry.ignored)",
    ),
  ),
  networks: v.optional(
    described(mapOf(gatewayForm, 'a map of networks and their gateways'), 'Networks and the addresses of their east-west gateways'),
  ),
});

export const servicesForm = listOf(serviceForm, 'services');
export type ServiceForm = v.InferOutput<typeof serviceForm>;
export type MeshForm = v.InferOutput<typeof meshForm>;
