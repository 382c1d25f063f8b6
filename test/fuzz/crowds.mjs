// What many clients do at once. It is nobody's request alone that is costly here, so what counts is that the server lives on, answers
// others meanwhile, and gives back what it took.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { framed, health, openCall, openSession, over } from './grpc-call.mjs';
import { stallText } from './stall-text.mjs';
import { field } from './message.mjs';

const node = 'sidecar~10.0.0.1~a.default~default.svc.cluster.local';
const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const ads = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
/** No crowd takes longer. */
const crowdMs = 60_000;
/** Of which the clients that connect at once have this for their answers. */
const answerMs = 45_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const http2Frame = (type, flags, stream, payload) => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
/** A header that is no part of any table (RFC 7541, 6.2.2), of names and values below 127 bytes. */
const header = (name, value) =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

/** All that an xDS client says until its first response, as bytes: ten thousand of Node's HTTP/2 sessions would be the test of Node. */
const hello = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  http2Frame(4, 0, 0, Buffer.alloc(0)),
  http2Frame(
    1,
    4,
    1,
    Buffer.concat([
      header(':method', 'POST'),
      header(':scheme', 'http'),
      header(':path', ads),
      header(':authority', 'istiod'),
      header('content-type', 'application/grpc'),
      header('te', 'trailers'),
    ]),
  ),
  http2Frame(0, 0, 1, framed(Buffer.concat([field(2, field(1, node)), field(4, cds)]))),
]);

/** A bare connection on which the server has answered, or not. `reads`: it takes what comes. */
function client(port, { reads }) {
  const socket = connect(port, '127.0.0.1');
  const answered = new Promise((resolve) => {
    let bytes = 0;
    socket.on('error', () => resolve(false)).on('close', () => resolve(false));
    if (reads) socket.on('data', (data) => (bytes += data.length) > 1000 && resolve(true));
    else socket.on('connect', () => resolve(true));
  });
  if (!reads) socket.pause();
  socket.write(hello);
  return { socket, answered };
}

/** What `promise` resolves with, or undefined after so long. */
async function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The faults that `faults` resolves with; that it did not, if it did not in time. */
const inTime = async (name, ms, faults) => (await within(ms, faults)) ?? [`${name}: not over after ${ms / 1000} s`];

/** Both ends are in this machine, each with a file for each connection. */
const filesAllowed = () => Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })) || 1_000_000;

async function connects({ server, say }) {
  const count = Math.min(10_000, filesAllowed() - 200);
  await put(server, JSON.stringify({ clusters: Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, connect_timeout: '1s' })) }));
  const began = performance.now();
  const clients = Array.from({ length: count }, () => client(server.port, { reads: true }));
  const answers = await within(answerMs, Promise.all(clients.map(({ answered }) => answered)));
  say(
    `${count} clients at once: all ${answers ? 'had an answer or an end' : 'were NOT answered'} after ${(performance.now() - began).toFixed(0)} ms`,
  );
  clients.forEach(({ socket }) => socket.destroy());
  const without = answers?.filter((answered) => !answered).length ?? count;
  return without > 0 ? [`of ${count} clients that connected at once ${without} had no answer`] : [];
}

async function put(server, body) {
  const answer = await fetch(`${server.control}/snapshot`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
  await answer.arrayBuffer();
  return answer.status;
}

/** 200 clients that never read, while 300 pushes of half a megabyte are for them. */
async function nonReaders({ server, say }) {
  const before = (await server.memory()).rss;
  const clients = Array.from({ length: 200 }, () => client(server.port, { reads: false }));
  await Promise.all(clients.map(({ answered }) => answered));
  const large = (round) =>
    JSON.stringify({
      clusters: Array.from({ length: 300 }, (_, i) => ({
        name: `n${i}`,
        alt_stat_name: 'x'.repeat(1500),
        connect_timeout: `${round + 1}s`,
      })),
    });
  const marks = [];
  for (let round = 0; round < 300; round++) {
    const status = await put(server, large(round));
    if (status !== 200) return [`PUT /snapshot was answered with ${status}`];
    if (round === 99 || round === 299) marks.push((await server.memory()).rss);
  }
  const mebibytes = (bytes) => (bytes / 1024 / 1024).toFixed(0);
  say(
    `200 clients that never read: ${mebibytes(before)} MiB before, ${mebibytes(marks[0])} after 100 pushes, ${mebibytes(marks[1])} after 300`,
  );
  clients.forEach(({ socket }) => socket.destroy());
  // One frame in flight for each at most, and what is served; never what was served before.
  return marks[1] > marks[0] * 1.25 + 32 * 1024 * 1024 ? ['pushes pile up for clients that do not read'] : [];
}

/** A million names on one delta stream, in requests that are each taken. */
async function millionNames({ server, say }) {
  const session = openSession(server.port);
  const call = openCall(session, '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources');
  for (let part = 0; part < 40 && call.status === undefined; part++) {
    const names = Array.from({ length: 25_000 }, (_, i) => field(3, String(part * 25_000 + i)));
    call.stream.write(framed(Buffer.concat([field(1, field(1, node)), field(2, cds), ...names])));
    await pause(20);
  }
  call.stream.end();
  await over(call, 20_000);
  session.destroy();
  say(`a million names on one stream: status ${call.status}`);
  return [];
}

async function timed(name, crowd, context) {
  await context.server.stall();
  const faults = await inTime(name, crowdMs, crowd(context));
  if ((await health(context.server.port)) !== '0') faults.push(`after ${name} it answers no health check`);
  context.say(`${name}: longest stall ${stallText(await context.server.stall())}`);
  return faults;
}

/**
 * Small clients that come and go, more than the server remembers: whatever it keeps of the past is of them then, and what it has besides is
 * what it need not keep.
 */
export async function settled(port) {
  const session = openSession(port);
  for (let i = 0; i < 120; i++) {
    const call = openCall(session, ads);
    call.stream.end(framed(Buffer.concat([field(2, field(1, `sidecar~10.0.0.1~settled-${i}.default~c`)), field(4, cds)])));
    await over(call, 1000);
  }
  session.destroy();
}

/** All of them, one after the other. Resolves with what went wrong. */
export async function crowds(context) {
  const faults = [];
  faults.push(...(await timed('a million names', millionNames, context)));
  faults.push(...(await timed('clients that never read', nonReaders, context)));
  faults.push(...(await timed('connects', connects, context)));
  return faults;
}
