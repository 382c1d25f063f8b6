// gRPC calls over Node's HTTP/2 in which everything can be wrong.
import { connect } from 'node:http2';

/** One gRPC frame. */
export function framed(message, { flag = 0, length = message.length } = {}) {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([prefix, message]);
}

/** A connection whose errors are nobody's. */
export function openSession(port, settings = {}) {
  const session = connect(`http://127.0.0.1:${port}`, settings);
  session.on('error', () => undefined);
  return session;
}

/** A call; `nonces` are those of the answers so far. */
export function openCall(session, path, headers = {}) {
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers });
  const call = { stream, nonces: [], bytes: 0, status: undefined, closed: undefined };
  const told = (trailers) => (call.status ??= trailers['grpc-status']);
  stream.on('response', told).on('trailers', told);
  stream.on('error', () => undefined);
  stream.on('data', (data) => {
    call.bytes += data.length;
    // Near enough: a nonce is a text of printable characters with the bar of ours in it.
    if (call.nonces.length < 20) for (const [nonce] of data.toString('latin1').matchAll(/[\w./-]{10,}/g)) call.nonces.push(nonce);
  });
  call.closed = new Promise((resolve) => stream.once('close', resolve));
  return call;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves when the call is over, or after `ms`, when it is cut. */
export async function over(call, ms) {
  await Promise.race([call.closed, pause(ms)]);
  if (!call.stream.destroyed) call.stream.close(8);
}

/** Resolves with the status of a health check, or undefined if there is none in time. */
export async function health(port, ms = 10_000) {
  const session = openSession(port);
  const call = openCall(session, '/grpc.health.v1.Health/Check');
  call.stream.end(framed(Buffer.alloc(0)));
  await Promise.race([call.closed, pause(ms)]);
  session.destroy();
  return call.status;
}
