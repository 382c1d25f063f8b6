import { errorCatalogue, FakeIstiodError, type Problem } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import { eventsIn } from './event-parser.ts';
import type { ProblemDetails, RequestProblem } from './problem.ts';
import type { AnswerOf, CallOf } from './route.ts';
import type { Routes } from './route-table.ts';

/** Every operation by its method and path, as `GET /nodes/{node}`. */
type Operations = { readonly [K in keyof Routes as `${Routes[K]['method']} ${Routes[K]['path']}`]: Routes[K] };
export type Operation = keyof Operations;

export interface ControlClientOptions {
  /** E.g. `http://127.0.0.1:15080`. */
  readonly url: string;
  readonly token?: string;
}

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A body that is text already: YAML or JSON, as somebody wrote it. */
export interface WrittenBody {
  readonly text: string | Uint8Array;
  readonly mediaType: 'application/json' | 'application/yaml';
}

interface Call {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/**
 * The control API of a fake istiod in another process, with its types and its errors: what comes back as `application/problem+json` is thrown
 * as the `FakeIstiodError` that it was there. Loads nothing but itself.
 */
export class ControlClient {
  private readonly base: URL;
  private readonly token: string | undefined;

  /** @throws FakeIstiodError `usage.invalid` for what is no http(s) URL */
  constructor({ url, token }: ControlClientOptions) {
    this.base = baseUrl(url);
    this.token = token;
  }

  /** The URL without what follows its last slash. */
  get url(): string {
    return this.base.href.replace(/\/$/, '');
  }

  /**
   * Calls an operation. A body is sent as JSON; `written` sends text as it is instead.
   *
   * @throws FakeIstiodError what the server answers, or `control.unreachable`
   */
  async call<O extends Operation>(
    operation: O,
    call: CallOf<Operations[O]> | (Omit<CallOf<Operations[O]>, 'body'> & { readonly written: WrittenBody }),
    options: CallOptions = {},
  ): Promise<AnswerOf<Operations[O]>> {
    const response = await this.send(operation, call, options);
    const isJson = /^application\/([\w.+-]+\+)?json/.test(response.headers.get('content-type') ?? '');
    return (await (isJson ? response.json() : response.text())) as AnswerOf<Operations[O]>;
  }

  /**
   * Events as they happen, those that have happened first, until the server ends or `signal` aborts.
   *
   * @throws FakeIstiodError as `call`
   */
  async *events(
    query: NonNullable<CallOf<Operations['GET /events/stream']>['query']> = {},
    { signal }: CallOptions = {},
  ): AsyncGenerator<TimelineEvent, void> {
    const response = await this.send('GET /events/stream', { query }, signal ? { signal } : {});
    try {
      for await (const { name, data } of eventsIn(response.body)) {
        if (name === 'end') return;
        if (name === 'message') yield JSON.parse(data) as TimelineEvent;
      }
    } catch (error) {
      if (signal?.aborted) return;
      throw unreachable(this.url, error);
    }
  }

  private async send(operation: Operation, call: Call & { readonly written?: WrittenBody }, { signal }: CallOptions): Promise<Response> {
    const [method = 'GET', path = '/'] = operation.split(' ');
    const { written, body } = call;
    const sent = written ? written.text : body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(this.urlOf(path, call), {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(sent === undefined ? {} : { 'content-type': written?.mediaType ?? 'application/json' }),
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      throw signal?.aborted ? (signal.reason as Error) : unreachable(this.url, error);
    });
    if (!response.ok) throw await errorOf(response, this.url);
    return response;
  }

  private urlOf(path: string, { params = {}, query = {} }: Call): URL {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const url = new URL(`${this.url}${filled}`);
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value])
        if (one !== undefined) url.searchParams.append(name, String(one));
    }
    return url;
  }
}

function baseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new FakeIstiodError('usage.invalid', `${JSON.stringify(url)} is no URL of a control API`, {
    remedy: 'Give one such as http://127.0.0.1:15080',
  });
}

function unreachable(url: string, error: unknown): FakeIstiodError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause);
  return new FakeIstiodError('control.unreachable', `no control API answers at ${url}: ${why}`, {
    remedy: 'Start one with fake-istiod serve --control-port 15080, or name another with --istiod',
    cause: error,
  });
}

async function errorOf(response: Response, url: string): Promise<FakeIstiodError> {
  const text = await response.text().catch(() => '');
  const details = problemIn(response, text);
  if (details) return new FakeIstiodError(details.code, details.detail, { problems: details.problems.map(problem) });
  return new FakeIstiodError('control.unreachable', `what answers at ${url} is no control API of fake-istiod: status ${response.status}`, {
    remedy: 'Name its own port: the one that serve says at its start',
  });
}

/** The problem of a server of ours; undefined for anything else. */
function problemIn(response: Response, text: string): ProblemDetails | undefined {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  const details = JSON.parse(text) as Partial<ProblemDetails>;
  const known = details.code !== undefined && Object.hasOwn(errorCatalogue, details.code);
  return known && details.detail !== undefined
    ? { ...(details as ProblemDetails), problems: details.problems ?? [], code: details.code }
    : undefined;
}

function problem({ in: part, path, line, column, what, remedy }: RequestProblem): Problem {
  const place = {
    ...(path === undefined ? {} : { path }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
  return { ...(part ? { at: { file: part, ...place } } : {}), what, ...(remedy === undefined ? {} : { remedy }) };
}
