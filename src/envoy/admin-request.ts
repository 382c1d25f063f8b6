import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { FakeIstiodError } from '../errors.ts';

/** An answer of Envoy's admin API. */
export interface AdminAnswer {
  /** HTTP status code. */
  readonly code: number;
  readonly body: string;
}

export interface AdminRequesterOptions {
  /** `http://host:port`, or `unix:/path` for an admin API on a Unix socket. */
  readonly url: string;
  /** How long one request may take; default 3000 ms. */
  readonly timeoutMs?: number;
  /** Aborted when the Envoy behind the URL has ended; its reason is the error that requests then fail with. */
  readonly ended?: AbortSignal;
}

export type AdminRequester = (method: 'GET' | 'POST', path: string) => Promise<AdminAnswer>;

/** Talks to one admin API over kept-alive connections. Error `envoy.unreachable`, or the reason of `ended`. */
export function adminRequester({ url, timeoutMs = 3_000, ended }: AdminRequesterOptions): AdminRequester {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const target = requestTarget(url);
  // A signal of our own: every request under way listens to it, and that so many do is no leak that Node should warn of.
  const over = ended && AbortSignal.any([ended]);
  if (over) setMaxListeners(0, over);
  return async (method, path) => {
    const unreachable = (cause: unknown): unknown => {
      if (ended?.aborted) return ended.reason;
      const why = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
      return new FakeIstiodError('envoy.unreachable', `Envoy's admin API at ${url} does not answer ${path}: ${why}`, {
        remedy: 'Is an Envoy running there, with its admin address open?',
        cause,
      });
    };
    const once = (): Promise<AdminAnswer> => exchange({ ...target, method, path, agent, ...(over ? { signal: over } : {}) }, timeoutMs);
    try {
      return await once().catch((error: unknown) => (isStale(error) && method === 'GET' ? once() : Promise.reject(error)));
    } catch (cause) {
      throw unreachable(cause);
    }
  };
}

function requestTarget(url: string): RequestOptions {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length) };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:') {
    throw new FakeIstiodError('options.invalid', `${url} is not the URL of an admin API`, {
      remedy: 'Give http://HOST:PORT or unix:/PATH',
    });
  }
  // URL keeps the brackets of an IPv6 address; a socket does not want them.
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port || 80) };
}

/** A kept-alive connection that Envoy closed in the moment of use: the request never arrived, so it may be sent again. */
function isStale(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && 'reused' in error && error.reused === true;
}

function exchange(options: RequestOptions, timeoutMs: number): Promise<AdminAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ code: response.statusCode ?? 0, body: Buffer.concat(pieces).toString('utf8') });
      });
    });
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(Object.assign(error, { reused: sent.reusedSocket }));
    };
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    sent.on('error', fail);
    sent.end();
  });
}
