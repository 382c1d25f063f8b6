import { STATUS_CODES } from 'node:http';
import { errorCatalogue, ExitCode, FakeIstiodError, type ErrorCode, type Problem } from '../errors.ts';

/** One thing that is wrong with a request. */
export interface RequestProblem {
  /** Which part of the request; absent for what stands in a file of the server. */
  readonly in?: RequestPart;
  /** The path inside that part, e.g. `clusters[0].connect_timeout`; absent if it is about the whole. */
  readonly path?: string;
  /** Counted from 1, where the body is text that has lines. */
  readonly line?: number;
  readonly column?: number;
  readonly what: string;
  readonly remedy?: string;
}

/** The parts of a request that can be wrong. The same words stand in the place of a file's name while the request is checked. */
export const requestParts = ['body', 'query', 'path'] as const;
export type RequestPart = (typeof requestParts)[number];

/** An error as RFC 9457 has it (`application/problem+json`), with the code and the problems of our own errors. */
export interface ProblemDetails {
  /** `urn:fake-istiod:error:` and the code. */
  readonly type: string;
  /** The status in words. */
  readonly title: string;
  readonly status: number;
  /** What is wrong and what to do about it. */
  readonly detail: string;
  readonly code: ErrorCode;
  readonly problems: readonly RequestProblem[];
}

/** Statuses of single codes; all others go by whose fault the error is. */
const statusByCode: Partial<Readonly<Record<ErrorCode, number>>> = {
  'request.method-not-allowed': 405,
  'request.media-type-unsupported': 415,
  'request.unauthenticated': 401,
  'request.forbidden': 403,
  'input.too-large': 413,
  'istiod.stopped': 503,
};

/** Unexpected is 409: the request is fine, and what is there does not agree with it. */
const statusByExit: Readonly<Record<number, number>> = {
  [ExitCode.input]: 400,
  [ExitCode.unexpected]: 409,
  [ExitCode.environment]: 503,
};

/** The HTTP status that an error is answered with. */
export function statusOf(code: ErrorCode): number {
  const fault = errorCatalogue[code];
  if (fault === ExitCode.input && code.endsWith('.not-found')) return 404;
  return statusByCode[code] ?? statusByExit[fault] ?? 500;
}

/** Anything that was thrown, as an answer; a defect of ours keeps its stack to itself. */
export function problemDetails(thrown: unknown): ProblemDetails {
  const { code, message, problems } = FakeIstiodError.from(thrown);
  const status = statusOf(code);
  return {
    type: `urn:fake-istiod:error:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code,
    problems: problems.map(requestProblem),
  };
}

function requestProblem({ at, what, remedy }: Problem): RequestProblem {
  const part = requestParts.find((word) => word === at?.file);
  return {
    ...(part ? { in: part } : {}),
    ...(at?.path ? { path: at.path } : {}),
    ...(at?.line === undefined ? {} : { line: at.line }),
    ...(at?.column === undefined ? {} : { column: at.column }),
    what: part || !at?.file ? what : `${at.file}: ${what}`,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** The answer to a request that failed. */
export function problemResponse(thrown: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const details = problemDetails(thrown);
  return new Response(`${JSON.stringify(details, null, 2)}\n`, {
    status: details.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}
