import { request } from 'node:http';
import type { RequestOptions } from 'node:http';
import type { BoundAddress } from '../envoy/index.ts';
import type { HttpAnswer, HttpSubject } from '../observe/sample.ts';

const timeoutMs = 2_000;
/** More of a body than this nobody compares. */
const keptBytes = 1 << 20;

/** Sends the GET of an `http` expectation to the address that its listener is bound to. Never rejects. */
export function probeHttp(subject: HttpSubject, bound: ReadonlyMap<string, BoundAddress>): Promise<HttpAnswer> {
  const address = bound.get(subject.listener);
  if (!address)
    return Promise.resolve({
      kind: 'failed',
      reason: `Envoy has no listener ${subject.listener}${bound.size > 0 ? `, only ${[...bound.keys()].join(', ')}` : ''}`,
    });
  return new Promise((resolve) => {
    const sent = request({ ...targetOf(address), path: subject.path, headers: subject.headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      response.on('data', (piece: Buffer) => {
        if (length < keptBytes) pieces.push(piece);
        length += piece.length;
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ kind: 'answered', status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString('utf8') });
      });
    });
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      resolve(
        error.code === 'ECONNREFUSED' ? { kind: 'refused' } : { kind: 'failed', reason: error.message || (error.code ?? error.name) },
      );
    };
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    sent.on('error', fail);
    sent.end();
  });
}

function targetOf(address: BoundAddress): RequestOptions {
  if ('pipe' in address) return { socketPath: address.pipe };
  // A listener on every address is reached by the loopback one.
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  return { host, port: address.port };
}
