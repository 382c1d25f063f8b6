// What is thrown at the server. Each takes chance and the server's ports, and says what it did; it is over when the server has had its say.
import { request } from 'node:http';
import { connect } from 'node:net';
import { framed, openCall, openSession, over } from './grpc-call.mjs';
import { deltaRequest, field, methods, mutated, number, sotwRequest, typeUrls } from './message.mjs';

const patienceMs = 150;
const hex = (bytes) => (bytes.length > 60 ? `${bytes.subarray(0, 60).toString('hex')}… (${bytes.length} bytes)` : bytes.toString('hex'));

/** Some requests to one method, each whole or broken, cut into pieces as chance has it. */
async function messages({ random, port }) {
  const { path, message } = random.pick(methods);
  const session = openSession(port);
  const call = openCall(session, path);
  const sent = [];
  for (let i = 1 + random.below(6); i > 0; i--) {
    const bytes = mutated(message(random, call.nonces), random);
    sent.push(hex(bytes));
    const frame = framed(bytes);
    const cut = random.below(frame.length + 1);
    call.stream.write(frame.subarray(0, cut));
    call.stream.write(frame.subarray(cut));
    if (random.once(3)) await new Promise(setImmediate);
  }
  if (random.once(5)) call.stream.close(random.below(14));
  else call.stream.end();
  await over(call, patienceMs);
  session.destroy();
  return `${path}: ${sent.join(' ')}`;
}

/** gRPC frames that are none. */
async function frames({ random, port }) {
  const { path, message } = random.pick(methods);
  const session = openSession(port);
  const encoding = random.pick([{}, { 'grpc-encoding': random.pick(['gzip', 'deflate', 'identity', 'snappy', '']) }]);
  const call = openCall(session, path, encoding);
  const bytes = message(random);
  const length = random.pick([bytes.length, 0, 1, bytes.length + 1 + random.below(10), 2 ** 31, 2 ** 32 - 1]);
  const flag = random.pick([0, 1, 2, 0xff]);
  const frame = random.once(4) ? random.bytes(random.size(5000)) : framed(bytes, { flag, length });
  call.stream.write(frame);
  call.stream.end();
  await over(call, patienceMs);
  session.destroy();
  return `${path} ${JSON.stringify(encoding)}: ${hex(frame)}`;
}

const printable = (random, length) => random.bytes(length).toString('base64').slice(0, length);

/** Headers of a call that are wrong. */
async function headers({ random, port }) {
  const { path, message } = random.pick(methods);
  const odd = random.pick([
    { ':path': `/${printable(random, random.size(5000))}` },
    { ':path': path.slice(0, random.below(path.length)) },
    { ':method': random.pick(['GET', 'PUT', 'OPTIONS', 'CONNECT']), ':path': path },
    { 'content-type': random.pick(['application/json', 'application/grpc+json', 'application/grpc-web', '']) },
    { 'grpc-timeout': random.pick(['1n', '0S', '99999999H', '-1S', 'S', printable(random, 9)]) },
    { authorization: random.pick(['Bearer', 'Bearer ', `Bearer ${printable(random, random.size(8000))}`, printable(random, 50)]) },
    { clusterid: printable(random, random.size(8000)) },
    { 'odd-bin': printable(random, random.size(2000)) },
    { 'x-large': printable(random, random.size(100_000)) },
    Object.fromEntries(Array.from({ length: random.size(400) }, (_, i) => [`x-${i}`, printable(random, 8)])),
  ]);
  const session = openSession(port);
  try {
    const call = openCall(session, path, odd);
    call.stream.end(framed(message(random)));
    await over(call, patienceMs);
  } catch {
    // Node's client sends not everything that can be said.
  }
  session.destroy();
  return `${path} ${JSON.stringify(odd).slice(0, 200)}`;
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const http2Frame = (random) => {
  const payload = random.bytes(random.size(300));
  const head = Buffer.alloc(9);
  head.writeUIntBE(random.once(6) ? random.below(2 ** 24) : payload.length, 0, 3);
  head[3] = random.below(random.once(4) ? 256 : 10);
  head[4] = random.below(256);
  head.writeUInt32BE(random.pick([0, 1, 3, 5, 2 ** 31 - 1, random.below(2 ** 31)]), 5);
  return Buffer.concat([head, payload]);
};
const clientHello = Buffer.from(
  '16030100a1010000' + '9d0303' + '11'.repeat(32) + '00' + '0004130113020100' + '0070' + '00'.repeat(112),
  'hex',
);

/** Bytes on a bare connection: HTTP/2 frames, TLS records, anything. */
async function bytes({ random, port, control }) {
  const sent = random.pick([
    () => Buffer.concat([preface, ...Array.from({ length: random.size(60) }, () => http2Frame(random))]),
    () => mutated(Buffer.concat([preface, http2Frame(random)]), random),
    () => mutated(clientHello, random),
    () => random.bytes(random.size(20_000)),
    () => Buffer.from(`GET / HTTP/1.1\r\nhost: x\r\n${printable(random, random.size(20_000))}`),
    () => Buffer.alloc(0),
  ])();
  const to = random.once(4) ? Number(new URL(control).port) : port;
  const [ends, reads, stays] = [random.once(2), random.once(2), random.below(30)];
  await new Promise((resolve) => {
    const socket = connect(to, '127.0.0.1', () => {
      socket.write(sent);
      if (ends) socket.end();
    });
    socket.on('error', () => undefined).on('close', resolve);
    // What is left unread makes the end a reset. `resetAndDestroy` would do, but in Node 20 it can leave its socket open for ever.
    if (reads) socket.resume();
    else socket.pause();
    setTimeout(() => socket.destroy(), stays);
  });
  return `port ${to}: ${hex(sent)}`;
}

const bodies = [
  '{"clusters": [{"name": "a", "connect_timeout": "1s"}]}',
  '{"set": {"listeners": [{"name": "l", "address": {"socket_address": {"address": "127.0.0.1", "port_value": 0}}}]}}',
  '"CDS"',
  '{"delay": {"type": "EDS", "by": "2s"}}',
  '{"response.nacked": {"type": "LDS", "text": "/x/"}, "timeout": "1ms"}',
  '{"withhold": {"type": "CDS", "names": ["a"]}}',
  '{"name": "ready"}',
  '{"close": {"status": 14}}',
];
const paths = [
  ...['/snapshot', '/snapshot/CDS', '/commands', '/withhold', '/release', '/wait', '/wait/acked?version=x&timeout=1ms', '/rules', '/reset'],
  ...[
    '/nodes',
    '/nodes/x',
    '/subscriptions',
    '/journal',
    '/journal/count',
    '/journal/assert?exactly=1',
    '/events',
    '/scenario',
    '/version',
  ],
  ...['/state', '/snapshot?node=*', '/rules/1', '/openapi.json', '/', '/certificates', '/tokens', '/bootstrap', '/health'],
];

/** Requests to the control API, whole and broken. What would stop the server, or let it fall silent, is left out. */
async function controlled({ random, control }) {
  const method = random.pick(['GET', 'PUT', 'POST', 'PATCH', 'DELETE']);
  const path = random.once(5) ? `/${encodeURIComponent(printable(random, random.size(2000)))}` : random.pick(paths);
  const query = random.once(3) ? `${path.includes('?') ? '&' : '?'}${printable(random, 3)}=${encodeURIComponent(random.text(20))}` : '';
  const whole = Buffer.from(random.pick(bodies));
  const body = random.pick([
    () => whole,
    () => mutated(whole, random),
    () => Buffer.from(random.pick(['[', '{"a":']).repeat(random.size(50_000))),
  ])();
  const type = random.pick(['application/json', 'application/yaml', 'text/plain', '']);
  await new Promise((resolve) => {
    const call = request(`${control}${path}${query}`, { method, headers: { 'content-type': type } }, (answer) => answer.resume());
    call.on('error', () => undefined).on('close', resolve);
    // An answer may have no end: /events/stream.
    const timer = setTimeout(() => call.destroy(), patienceMs * 4);
    call.on('close', () => clearTimeout(timer));
    call.end(method === 'GET' ? undefined : body);
  });
  return `${method} ${path}${query} ${hex(body)}`;
}

const most = 4 * 1024 * 1024;
const many = (count, make) => Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
const ads = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const named = (variant, type, parts, more = []) => {
  const id = field(1, 'sidecar~10.0.0.1~a.default~default.svc.cluster.local');
  return variant === 'sotw'
    ? Buffer.concat([field(2, id), field(4, type), parts, ...more])
    : Buffer.concat([field(1, id), field(2, type), parts, ...more]);
};

/** Requests of up to 4 MiB, each as costly as its size allows: name → bytes. */
const costly = {
  'as many names as fit': (random, variant, type) =>
    named(
      variant,
      type,
      many(most / 10, (i) => field(3, String(1_000_000 + i))),
    ),
  'one name, as often as it fits': (random, variant, type) => named(variant, type, Buffer.alloc(most - 200, field(3, 'n1'))),
  'empty names': (random, variant, type) => named(variant, type, Buffer.alloc(most - 200, field(3, ''))),
  'names subscribed and given up': (random, variant, type) =>
    named(
      variant,
      type,
      many(most / 24, (i) => Buffer.concat([field(3, String(1_000_000 + i)), field(4, String(1_000_000 + i))])),
    ),
  'versions brought along': (random, variant, type) =>
    named(
      variant,
      type,
      many(most / 18, (i) => field(5, Buffer.concat([field(1, String(1_000_000 + i)), field(2, 'v')]))),
    ),
  'one name': (random, variant, type) => named(variant, type, field(3, 'x'.repeat(most - 200))),
  'a name that is no UTF-8': (random, variant, type) => named(variant, type, field(3, Buffer.alloc(most - 200, 0xf0))),
  'a type URL of 1 MB': (random, variant) => named(variant, `type.googleapis.com/${'x'.repeat(1_000_000)}`, field(3, 'n1')),
  'a type URL of 1 MB, dots': (random, variant) => named(variant, './'.repeat(500_000), field(3, 'n1')),
  'a nonce of 4 MB': (random, variant, type) => named(variant, type, field(variant === 'sotw' ? 5 : 6, 'n'.repeat(most - 300))),
  'a refusal of 4 MB': (random, variant, type) =>
    named(variant, type, field(variant === 'sotw' ? 6 : 7, Buffer.concat([number(1, 13), field(2, 'e '.repeat(most / 2 - 200))]))),
  'a node id of 4 MB': (random, variant, type) =>
    variant === 'sotw'
      ? Buffer.concat([field(2, field(1, 'sidecar~'.repeat(most / 8 - 20))), field(4, type)])
      : Buffer.concat([field(1, field(1, 'sidecar~'.repeat(most / 8 - 20))), field(2, type)]),
  'metadata of 4 MB': (random, variant, type) => {
    const entry = (i) => field(1, Buffer.concat([field(1, String(1_000_000 + i)), field(2, field(3, 'x'))]));
    const node = Buffer.concat([field(1, 'sidecar~1.1.1.1~a.b~c'), field(3, many(most / 19, entry))]);
    return variant === 'sotw' ? Buffer.concat([field(2, node), field(4, type)]) : Buffer.concat([field(1, node), field(2, type)]);
  },
  'a list of nothings in metadata': (random, variant, type) => {
    const list = field(2, field(6, Buffer.alloc(most - 200, field(1, ''))));
    const node = Buffer.concat([field(1, 'sidecar~1.1.1.1~a.b~c'), field(3, field(1, Buffer.concat([field(1, 'k'), list])))]);
    return variant === 'sotw' ? Buffer.concat([field(2, node), field(4, type)]) : Buffer.concat([field(1, node), field(2, type)]);
  },
  'fields that nobody knows': (random, variant, type) => named(variant, type, Buffer.alloc(most - 200, number(15, 1))),
  groups: (random, variant, type) => named(variant, type, Buffer.alloc(most - 200, 0x7b)),
  'random bytes': (random) => random.bytes(most / 8),
};

/** One request of nearly 4 MiB; `index` goes through all of them in turn. */
async function large({ random, port, index }) {
  const words = Object.keys(costly);
  const word = words[index % words.length];
  const variant = random.pick(['sotw', 'delta']);
  const type = random.pick(typeUrls);
  const session = openSession(port);
  const call = openCall(session, `${ads}/${variant === 'sotw' ? 'Stream' : 'Delta'}AggregatedResources`);
  const message = costly[word](random, variant, type);
  call.stream.end(framed(message));
  await over(call, 5000);
  session.destroy();
  return `${word}, ${variant}, ${type}`;
}

/** A large message to one of the other services. */
async function largeElsewhere({ random, port }) {
  const { path } = random.pick(methods.filter(({ xds }) => !xds));
  const session = openSession(port);
  const call = openCall(session, path);
  const message = random.pick([
    () => field(1, 'x'.repeat(most - 100)),
    () => field(random.below(8), 'a.'.repeat(most / 2 - 100)),
    () => Buffer.concat([field(1, `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(most - 300)}\n-----END CERTIFICATE REQUEST-----\n`)]),
    () => Buffer.alloc(most - 100, field(1, '')),
    () => Buffer.alloc(most - 100, number(15, 1)),
  ])();
  call.stream.end(framed(message));
  await over(call, 5000);
  session.destroy();
  return `${path}: ${hex(message)}`;
}

/** Subscribing and giving up, again and again on one stream, under nonces right and wrong. */
async function storm({ random, port }) {
  const delta = random.once(2);
  const session = openSession(port);
  const call = openCall(session, `${ads}/${delta ? 'Delta' : 'Stream'}AggregatedResources`);
  const count = 50 + random.below(300);
  for (let i = 0; i < count; i++) {
    call.stream.write(framed((delta ? deltaRequest : sotwRequest)(random, call.nonces, 100)));
    if (i % 20 === 0) await new Promise(setImmediate);
  }
  call.stream.end();
  await over(call, 3000);
  session.destroy();
  return `${count} requests on one ${delta ? 'delta' : 'SotW'} stream`;
}

/** Each one request, or one call: what the event loop does meanwhile is its doing. `share`: how often, of all together. */
export const attacks = [
  { name: 'messages', share: 40, run: messages },
  { name: 'frames', share: 12, run: frames },
  { name: 'headers', share: 12, run: headers },
  { name: 'bytes', share: 12, run: bytes },
  { name: 'control', share: 12, run: controlled },
  { name: 'large', share: 8, run: large },
  { name: 'large elsewhere', share: 2, run: largeElsewhere },
  { name: 'storm', share: 2, run: storm },
];
