import { Hono, type Context } from 'hono';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { wordRemedy } from '../script/nearest.ts';
import { callerRefusal } from './caller-check.ts';
import type { EventFeed } from './event-feed.ts';
import type { ControlledIstiod } from './face.ts';
import { jsonBody } from './json-answer.ts';
import { problemResponse } from './problem.ts';
import { bodyDocument } from './request-body.ts';
import { bodyFindings, checkedRequest } from './request-check.ts';
import type { Method, Route } from './route.ts';
import { routes } from './route-table.ts';

export interface AppOptions {
  readonly istiod: ControlledIstiod;
  readonly clock: Clock;
  readonly feed: EventFeed;
  /** Callers have to bring it; undefined: everybody on this machine is served. */
  readonly token: string | undefined;
  /** The largest body, in bytes. */
  readonly maxInputBytes: number;
}

/** The operations of the route table, as one function from request to response. */
export function controlApp(options: AppOptions): (request: Request) => Response | Promise<Response> {
  const app = new Hono({ strict: false });
  const byPath = new Map<string, Route[]>();
  for (const route of Object.values<Route>(routes)) {
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
    app.on(route.method, honoPath(route.path), (context) => answered(route, context, options));
  }
  for (const [path, known] of byPath) app.all(honoPath(path), (context) => refused(context, options) ?? wrongMethod(context, known));
  app.notFound((context) => refused(context, options) ?? unknownPath(context.req.path, [...byPath.keys()]));
  app.onError((error) => problemResponse(error));
  return (request) => app.fetch(request);
}

/** `/nodes/{node}` is `/nodes/:node` there. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function refused({ req }: Context, { token }: AppOptions): Response | undefined {
  const refusal = callerRefusal(req.raw.headers, token);
  return refusal && problemResponse(refusal, refusal.code === 'request.unauthenticated' ? { 'www-authenticate': 'Bearer' } : {});
}

async function answered(route: Route, context: Context, options: AppOptions): Promise<Response> {
  const refusal = route.open && options.token !== undefined ? undefined : refused(context, options);
  if (refusal) return refusal;
  const { req } = context;
  try {
    const body = await bodyDocument(req.raw, options.maxInputBytes);
    const findings = bodyFindings(body);
    const input = checkedRequest(route, { params: req.param(), query: req.queries(), body }, findings);
    const { istiod, clock, feed } = options;
    const answer = await route.handle(input, {
      istiod,
      clock,
      feed,
      findings,
      document: body,
      at: findings.at,
      routes,
      signal: req.raw.signal,
      headers: req.raw.headers,
    });
    return answer instanceof Response ? answer : written(answer, route);
  } catch (error) {
    return problemResponse(error);
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  'text/html': 'text/html; charset=utf-8',
  'text/plain': 'text/plain; charset=utf-8',
};

/** The page loads nothing and stands in nobody's frame. */
const guards: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'text/html': { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" },
};

/** Indented, because people read it, too. */
function written(answer: unknown, { produces }: Route): Response {
  const headers = {
    'content-type': mediaTypes[produces ?? ''] ?? produces ?? 'application/json',
    'cache-control': 'no-store',
    ...guards[produces ?? ''],
  };
  if (produces !== undefined && typeof answer === 'string') return new Response(answer, { headers });
  return new Response(jsonBody(answer), { headers });
}

function wrongMethod({ req }: Context, known: readonly Route[]): Response {
  const allowed: readonly (Method | 'HEAD')[] = known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const error = new FakeIstiodError('request.method-not-allowed', `${req.path} knows no ${req.method}`, {
    remedy: `Use ${allowed.join(' or ')}`,
  });
  return problemResponse(error, { allow: allowed.join(', ') });
}

function unknownPath(path: string, known: readonly string[]): Response {
  const [, first = ''] = path.split('/');
  const firsts = [...new Set(known.map((one) => one.split('/')[1] ?? ''))].filter(Boolean);
  const below = known.filter((one) => one.split('/')[1] === first);
  const remedy =
    below.length > 0 ? `There is ${below.join(', ')}` : wordRemedy(first, firsts).replace('"?', '"? GET / lists all there is.');
  return problemResponse(new FakeIstiodError('request.not-found', `there is no ${path}`, { remedy }));
}
