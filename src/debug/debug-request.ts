import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { mayAsk, seenNamespace } from './access.ts';
import { notFound, textAnswer, type DebugAnswer } from './answer.ts';
import { buildText } from './build.ts';
import { answerDebug, debugPaths } from './debug-paths.ts';
import { debugPage } from './debug-page.ts';
import type { DebugPort } from './debug-server.ts';
import type { DebuggedIstiod, KnownCaller } from './face.ts';
import { liveMetrics } from './live-metrics.ts';
import { prometheusContentType, prometheusText, type MetricFamily } from './prometheus-text.ts';

/** What a request is answered from. */
export interface RequestSurroundings {
  /** The port that it came in at. */
  readonly kind: DebugPort;
  readonly istiod: DebuggedIstiod;
  /** What was counted so far. */
  counted(): readonly MetricFamily[];
}

const plainText = 'text/plain; charset=utf-8';
const below = '/debug/';
/** One set of gauges a server: they remember which versions of proxies they have seen. */
const gauges = new WeakMap<DebuggedIstiod, readonly MetricFamily[]>();

/** Answers one request. Bodies are not read: nothing that can be asked has one. */
export async function handleRequest(surroundings: RequestSurroundings, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const answer = await answerTo(surroundings, incoming).catch((error: unknown) =>
    textAnswer(`${error instanceof Error ? error.message : String(error)}\n`, 500),
  );
  incoming.resume();
  outgoing.writeHead(answer.status, {
    'content-type': answer.contentType ?? plainText,
    'content-length': Buffer.byteLength(answer.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : answer.body);
}

async function answerTo(surroundings: RequestSurroundings, incoming: IncomingMessage): Promise<DebugAnswer> {
  const url = incoming.url ?? '/';
  const [path = '/'] = url.split('?');
  if (isForeignPage(incoming)) return textAnswer('', 403);
  const { kind, istiod } = surroundings;
  if (path === '/debug') return { status: 200, contentType: 'text/html; charset=utf-8', body: debugPage(debugPaths) };
  if (path.startsWith(below)) return debugAnswer(url.slice(below.length), incoming, istiod);
  if (kind === 'http') return path === '/ready' ? textAnswer('', istiod.ready ? 200 : 503) : notFound;
  if (path === '/version') return textAnswer(buildText());
  return path === '/metrics' ? metricsAnswer(surroundings) : notFound;
}

function metricsAnswer({ istiod, counted }: RequestSurroundings): DebugAnswer {
  const live = gauges.get(istiod) ?? liveMetrics(istiod);
  gauges.set(istiod, live);
  return { status: 200, contentType: prometheusContentType, body: prometheusText([...live, ...counted()]) };
}

/** Loopback is free; others have to prove who they are, and are told no more than that (istio debug.go:allowAuthenticatedOrLocalhost). */
async function debugAnswer(pathAndQuery: string, incoming: IncomingMessage, istiod: DebuggedIstiod): Promise<DebugAnswer> {
  const caller = isLoopback(incoming.socket.remoteAddress) ? undefined : await callerOf(incoming, istiod);
  if (caller === 'nobody') return textAnswer('', 401);
  const [path = ''] = pathAndQuery.split('?');
  if (!mayAsk(caller, path)) return textAnswer('', 403);
  return answerDebug(pathAndQuery, { istiod, namespace: seenNamespace(caller) });
}

async function callerOf({ headers, socket }: IncomingMessage, istiod: DebuggedIstiod): Promise<KnownCaller | 'nobody' | undefined> {
  const { authorization, clusterid } = headers;
  const caller = await istiod.identify({
    peer: `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`,
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof clusterid === 'string' ? { clusterId: clusterid } : {}),
  });
  return caller ?? (istiod.quirks['debug-identity'] === 'required' ? 'nobody' : undefined);
}

function isLoopback(address = ''): boolean {
  const plain = address.replace(/^::ffff:/, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** A page of somebody else's, shown in a browser on this machine, could ask as well: some paths do something. */
function isForeignPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  return headers['sec-fetch-site'] === 'cross-site' || (origin !== undefined && origin !== `http://${host ?? ''}`);
}
