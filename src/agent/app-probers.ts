import type { IncomingHttpHeaders } from 'node:http';
import { FakeIstiodError } from '../errors.ts';
import { probeGrpc, probeHttp, probeTcp } from './probe.ts';

/** A probe of the application that the injector has put behind the agent: one of the three kinds. */
export interface AppProber {
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number;
    readonly scheme?: string;
  };
  readonly tcpSocket?: { readonly port: number };
  readonly grpc?: { readonly port: number; readonly service?: string | null };
  /** Default 1. */
  readonly timeoutSeconds?: number;
}

/** What kubelet is answered. */
export interface ProbeAnswer {
  readonly code: number;
  readonly body: string | Buffer;
}

const pathForm = /^\/(app-health|app-lifecycle)\/[^/]+\/(livez|readyz|startupz|prestopz|poststartz)$/;
const failed: ProbeAnswer = { code: 500, body: '' };
const passed: ProbeAnswer = { code: 200, body: '' };

/** Reads ISTIO_KUBE_APP_PROBERS. Error `usage.invalid` for what pilot-agent would not start with. */
export function readAppProbers(text: string): Readonly<Record<string, AppProber>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is no JSON object');
  const probers = Object.entries(value as Readonly<Record<string, unknown>>).map(([path, prober]) => [path, readProber(path, prober)]);
  return Object.fromEntries(probers) as Readonly<Record<string, AppProber>>;
}

function readProber(path: string, value: unknown): AppProber {
  if (!pathForm.test(path)) throw wrong(`has the path "${path}", which is not of the form /app-health/CONTAINER/livez`);
  if (typeof value !== 'object' || value === null) throw wrong(`has no probe under ${path}`);
  const prober = value as AppProber;
  const kinds = [prober.httpGet, prober.tcpSocket, prober.grpc].filter((kind) => kind !== undefined && kind !== null);
  if (kinds.length !== 1) throw wrong(`has ${kinds.length} kinds of probe under ${path}, not one of httpGet, tcpSocket and grpc`);
  if (!Number.isInteger(kinds[0]?.port)) throw wrong(`has a port under ${path} that is no number`);
  return prober;
}

function wrong(what: string): FakeIstiodError {
  return new FakeIstiodError('usage.invalid', `ISTIO_KUBE_APP_PROBERS ${what}`, { remedy: 'The injector writes it; take it as it stands' });
}

/** A request of kubelet to the agent. */
export interface ProbeRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The agent's own port, which an application's Host header should not name. */
  readonly statusPort: number;
  /** Where the application listens. */
  readonly host: string;
}

/** Asks the application what kubelet wants to know, and gives its answer. Calls `log` with why it could not. */
export async function answerAppProbe(
  probers: Readonly<Record<string, AppProber>>,
  request: ProbeRequest,
  log: (level: 'error', text: string) => void,
): Promise<ProbeAnswer> {
  const prober = Object.hasOwn(probers, request.path) ? probers[request.path] : undefined;
  if (!prober) {
    log('error', `Prober does not exists url ${request.path}`);
    return { code: 400, body: `app prober config does not exists for ${request.path}` };
  }
  try {
    return await ask(prober, request);
  } catch (error) {
    log(
      'error',
      `Request to probe app failed: ${error instanceof Error ? error.message : String(error)}, original URL path = ${request.path}`,
    );
    return failed;
  }
}

async function ask({ httpGet, tcpSocket, grpc, timeoutSeconds }: AppProber, request: ProbeRequest): Promise<ProbeAnswer> {
  const timeoutMs = (timeoutSeconds || 1) * 1000;
  const { host } = request;
  if (tcpSocket) return probeTcp(host, tcpSocket.port, timeoutMs).then(() => passed);
  if (grpc) return probeGrpc(`${host.includes(':') ? `[${host}]` : host}:${grpc.port}`, grpc.service ?? '', timeoutMs).then(() => passed);
  if (!httpGet) return failed;
  const { path = '/', port, scheme = 'HTTP' } = httpGet;
  const answer = await probeHttp(
    {
      host,
      port,
      path: path.startsWith('/') ? path : `/${path}`,
      https: scheme.toUpperCase() === 'HTTPS',
      headers: headersFor(request, port),
    },
    timeoutMs,
  );
  // To send a redirect on would take its Location along; kubelet takes it for a yes.
  return answer.code >= 300 && answer.code < 400 ? passed : { code: answer.code, body: answer.body };
}

/** kubelet's own headers, with the Host that it would have named without an agent. */
function headersFor({ headers, statusPort }: ProbeRequest, port: number): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !['connection', 'host', 'content-length'].includes(name),
  );
  const host = (headers.host ?? '').replace(new RegExp(`:${statusPort}$`), `:${port}`);
  return { ...Object.fromEntries(kept as [string, string | string[]][]), ...(host === '' ? {} : { host }) };
}
