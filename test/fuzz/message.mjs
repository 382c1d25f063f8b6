// Messages of all that is served, written by hand: the server under test shares no code with them.

const varint = (value) => {
  const made = [];
  let left = BigInt.asUintN(64, BigInt(value));
  while (left > 127n) {
    made.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  made.push(Number(left));
  return Buffer.from(made);
};

/** A field with its length. */
export const field = (number, value) => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
};
/** A field that is a number. */
export const number = (id, value) => Buffer.concat([varint(id << 3), varint(value)]);

const all = (...parts) => Buffer.concat(parts.flat());
const entry = (key, value) => field(1, all(field(1, key), field(2, value)));

/** A `google.protobuf.Value` with lists so deep in each other. */
const nested = (depth) => {
  let value = field(3, 'x');
  for (let i = 0; i < depth; i++) value = field(6, field(1, value));
  return value;
};

const types = [
  ...['cluster.v3.Cluster', 'endpoint.v3.ClusterLoadAssignment', 'listener.v3.Listener', 'route.v3.RouteConfiguration'],
  ...['core.v3.TypedExtensionConfig', 'route.v3.ScopedRouteConfiguration', 'route.v3.VirtualHost'],
].map((name) => `type.googleapis.com/envoy.config.${name}`);
export const typeUrls = [
  ...types,
  'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  'type.googleapis.com/envoy.service.runtime.v3.Runtime',
  'type.googleapis.com/istio.networking.nds.v1.NameTable',
  'type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig',
  'type.googleapis.com/istio.v1.HealthInformation',
  'type.googleapis.com/istio.workload.Address',
  'istio.io/debug/syncz',
  'istio.io/debug/config_dump',
  'istio.io/debug',
];

const typeUrl = (random) => {
  if (random.once(20)) return random.text(random.size(4096));
  if (random.once(20)) return '';
  return random.pick(typeUrls);
};

const names = (random, most) => Array.from({ length: random.once(3) ? 0 : random.size(most) }, () => name(random));
const name = (random) =>
  random.pick(['*', '', 'hello', 'outbound|80||hello.default.svc.cluster.local', `n${random.below(1000)}`, random.text(random.size(64))]);

const nodeIds = ['sidecar~10.0.0.1~a.default~default.svc.cluster.local', 'router~1.1.1.1~b.c~d', '~~~', 'a~b', 'plain', ''];

function node(random) {
  const metadata = Array.from({ length: random.size(12) }, () =>
    entry(random.pick(['NAMESPACE', 'CLUSTER_ID', 'LABELS', '__proto__', 'constructor', random.text(8)]), nested(random.size(200))),
  );
  const id = random.once(4) ? random.text(random.size(300)) : random.pick(nodeIds);
  return all(field(1, id), field(2, random.text(random.size(20))), field(3, all(metadata)));
}

const any = (random) => all(field(1, typeUrl(random)), field(2, random.bytes(random.size(500))));
const errorDetail = (random) =>
  all(
    number(1, random.below(20)),
    field(2, random.text(random.size(2000))),
    ...Array.from({ length: random.below(3) }, () => field(3, any(random))),
  );
const maybe = (random, part) => (random.once(2) ? [part()] : []);

/** A nonce that was never given, or one that was. */
const nonce = (random, given) =>
  random.once(2) && given.length > 0 ? random.pick(given) : random.once(2) ? '' : random.text(random.size(100));

/** What the server has to take as a `DiscoveryRequest`. */
export function sotwRequest(random, given = [], most = 300) {
  return all(
    maybe(random, () => field(1, random.text(random.size(20)))),
    field(2, node(random)),
    names(random, most).map((each) => field(3, each)),
    field(4, typeUrl(random)),
    field(5, nonce(random, given)),
    random.once(4) ? field(6, errorDetail(random)) : [],
  );
}

/** What the server has to take as a `DeltaDiscoveryRequest`. */
export function deltaRequest(random, given = [], most = 300) {
  return all(
    field(1, node(random)),
    field(2, typeUrl(random)),
    names(random, most).map((each) => field(3, each)),
    names(random, most).map((each) => field(4, each)),
    names(random, most / 10).map((each) => field(5, all(field(1, each), field(2, random.text(4))))),
    field(6, nonce(random, given)),
    random.once(4) ? field(7, errorDetail(random)) : [],
  );
}

const reflectionRequest = (random) =>
  all(
    maybe(random, () => field(1, random.text(random.size(50)))),
    field(
      random.pick([3, 4, 5, 6, 7]),
      random.pick([
        'envoy/config/cluster/v3/cluster.proto',
        'envoy.config.listener.v3.Listener',
        'grpc.health.v1.Health',
        '*',
        random.text(random.size(2000)),
      ]),
    ),
  );

const healthRequest = (random) =>
  field(1, random.pick(['', 'envoy.service.discovery.v3.AggregatedDiscoveryService', random.text(random.size(200))]));

const pem = (random) =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${random.bytes(random.size(3000)).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
const certificateRequest = (random) =>
  all(
    field(1, random.once(2) ? pem(random) : random.text(random.size(4000))),
    number(3, random.pick([0, -1, 1, 86_400, 2 ** 40, 2n ** 63n - 1n])),
    field(4, all(entry(random.pick(['CertSigner', 'ImpersonatedIdentity', random.text(5)]), nested(random.size(150))))),
  );

const discovery = (service, words, kinds = ['Stream', 'Delta', 'Fetch']) =>
  kinds.map((kind) => ({
    path: `/envoy.service.${service}/${kind}${words}`,
    message: kind === 'Delta' ? deltaRequest : sotwRequest,
    xds: true,
  }));

/** Every method that is served, and what makes a message that it has to take. */
export const methods = [
  ...discovery('discovery.v3.AggregatedDiscoveryService', 'AggregatedResources', ['Stream', 'Delta']),
  ...discovery('cluster.v3.ClusterDiscoveryService', 'Clusters'),
  ...discovery('endpoint.v3.EndpointDiscoveryService', 'Endpoints'),
  ...discovery('listener.v3.ListenerDiscoveryService', 'Listeners'),
  ...discovery('route.v3.RouteDiscoveryService', 'Routes'),
  ...discovery('route.v3.ScopedRoutesDiscoveryService', 'ScopedRoutes'),
  ...discovery('route.v3.VirtualHostDiscoveryService', 'VirtualHosts', ['Delta']),
  ...discovery('secret.v3.SecretDiscoveryService', 'Secrets'),
  ...discovery('extension.v3.ExtensionConfigDiscoveryService', 'ExtensionConfigs'),
  ...discovery('runtime.v3.RuntimeDiscoveryService', 'Runtime'),
  { path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', message: reflectionRequest },
  { path: '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', message: reflectionRequest },
  ...['Check', 'List', 'Watch'].map((method) => ({ path: `/grpc.health.v1.Health/${method}`, message: healthRequest })),
  { path: '/istio.v1.auth.IstioCertificateService/CreateCertificate', message: certificateRequest },
];

const evil = [0, 1, 0x7f, 0x80, 0xff];
const hugeLengths = [Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(11, 0xff)];
const mutations = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    for (let i = random.size(20); i > 0; i--)
      changed[random.below(changed.length)] = random.once(2) ? random.pick(evil) : random.below(256);
    return changed;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => bytes.subarray(random.below(bytes.length)),
  (bytes, random) => inserted(bytes, random, random.bytes(random.size(200))),
  (bytes, random) => inserted(bytes, random, random.pick(hugeLengths)),
  (bytes, random) => {
    const from = random.below(bytes.length);
    return inserted(bytes, random, bytes.subarray(from, from + random.size(300)));
  },
  // Groups in groups, which a reader that calls itself would drown in.
  (bytes, random) => inserted(bytes, random, Buffer.alloc(random.size(20_000), random.pick([0x0b, 0x1b, 0x7b]))),
  (_, random) => random.bytes(random.size(3000)),
];

function inserted(bytes, random, piece) {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

/** `bytes` as they are, or broken in one to three ways. */
export function mutated(bytes, random) {
  let changed = bytes;
  for (let i = random.below(4); i > 0 && changed.length > 0; i--) changed = random.pick(mutations)(changed, random);
  return changed;
}
