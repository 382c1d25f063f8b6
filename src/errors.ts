/** Whose fault an error is; the CLI exits with this number. */
export const ExitCode = {
  /** All went as expected. */
  ok: 0,
  /** An expectation failed, a step never fired, or `check` found something. */
  unexpected: 1,
  /** The user's input cannot be read or is wrong. */
  input: 2,
  /** The environment is wrong: no Envoy, a port taken, no Docker daemon. */
  environment: 3,
  /** A defect of fake-istiod. */
  internal: 70,
  /** Ctrl-C during `run`. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Every error fake-istiod throws on purpose, and whose fault it is. Codes are public API. */
export const errorCatalogue = {
  /** An option, an argument or their combination is wrong. */
  'usage.invalid': ExitCode.input,
  /** A file cannot be opened: not there, no permission, a folder. */
  'input.unreadable': ExitCode.input,
  /** A file holds nothing, or only comments. */
  'input.empty': ExitCode.input,
  /** A file is not UTF-8 text. */
  'input.not-utf8': ExitCode.input,
  /** A file is larger than `--max-input` (16 MiB); told before it is read. */
  'input.too-large': ExitCode.input,
  /** A file is not well-formed YAML or JSON, is nested too deep, expands aliases without end, or is a template. */
  'input.syntax': ExitCode.input,
  /** A file is well-formed, but none of the things fake-istiod reads. */
  'input.unrecognised': ExitCode.input,
  /** A scenario says something it cannot say; each problem has file, line and column. */
  'scenario.invalid': ExitCode.input,
  /** No scenario has this path or name. */
  'scenario.not-found': ExitCode.input,
  /** A resource does not fit its type: unknown `@type` or field, wrong enum, bad duration. */
  'resource.invalid': ExitCode.input,
  /** A bootstrap cannot be used for what was asked. */
  'bootstrap.invalid': ExitCode.input,
  /** A manifest has no proxy in it, not the one that was asked for, or one that cannot be read. */
  'manifest.invalid': ExitCode.input,
  /** A mesh config or ProxyConfig says something that Istio would refuse to read. */
  'mesh-config.invalid': ExitCode.input,
  /** The files of a PKI folder are broken, or do not fit each other. */
  'pki.invalid': ExitCode.input,
  /** An option given to the library is wrong. */
  'options.invalid': ExitCode.input,
  /** No rule that is in force has this id. */
  'rule.not-found': ExitCode.input,
  /** No node of this id is connected, or left not long ago. */
  'node.not-found': ExitCode.input,
  /** No push has this version, or it is too long ago. */
  'push.not-found': ExitCode.input,
  /** A request to the control API is wrong in its path, query or body; each problem has its path. */
  'request.invalid': ExitCode.input,
  /** A request to the control API names an operation, node, resource, rule, stream or push that is not there. */
  'request.not-found': ExitCode.input,
  /** The control API knows the path of a request, but not with this method. */
  'request.method-not-allowed': ExitCode.input,
  /** The body of a request to the control API is said to be something else than JSON or YAML. */
  'request.media-type-unsupported': ExitCode.input,
  /** The control API asks for a bearer token, and the caller has brought none, or another one. */
  'request.unauthenticated': ExitCode.environment,
  /** The control API takes no requests that a browser sends for somebody else's page. */
  'request.forbidden': ExitCode.environment,
  /** No control API answers at the address given. */
  'control.unreachable': ExitCode.environment,
  /** No Envoy is to be had; each place looked at is listed. */
  'envoy.not-found': ExitCode.environment,
  /** Envoy could not be fetched. */
  'envoy.install-failed': ExitCode.environment,
  /** Envoy was started and did not come up. */
  'envoy.start-failed': ExitCode.environment,
  /** Envoy ended while it was needed. */
  'envoy.exited': ExitCode.environment,
  /** Envoy's admin port does not answer. */
  'envoy.unreachable': ExitCode.environment,
  /** Docker was asked for, and no daemon answers. */
  'docker.unavailable': ExitCode.environment,
  /** A container image is neither on this machine nor to be fetched. */
  'image.not-found': ExitCode.environment,
  /** A container was made and did not come up. */
  'container.start-failed': ExitCode.environment,
  /** Somebody else listens on the port. */
  'port.in-use': ExitCode.environment,
  /** This user may not listen on the port or address. */
  'port.forbidden': ExitCode.environment,
  /** A file or folder cannot be written. */
  'output.unwritable': ExitCode.environment,
  /** What was waited for did not happen in time; the nearest event and the last ten are told. */
  'wait.timed-out': ExitCode.unexpected,
  /** Envoy rejected a push; the message holds its own words. */
  'push.nacked': ExitCode.unexpected,
  /** The journal holds other frames, or another number of them, than was asserted. */
  'journal.unexpected': ExitCode.unexpected,
  /** The fake istiod was stopped while something waited for it. */
  'istiod.stopped': ExitCode.unexpected,
  /** A defect of fake-istiod. */
  internal: ExitCode.internal,
} as const satisfies Record<string, ExitCode>;
export type ErrorCode = keyof typeof errorCatalogue;

/** Where in the user's input a problem is. Lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The path inside the document, e.g. `serve.clusters[0].connect_timeout`. */
  readonly path?: string;
}

/** One thing that is wrong with the user's input: what was found, what was expected, what to do. */
export interface Problem {
  readonly at?: SourcePosition;
  /** A sentence without a full stop. */
  readonly what: string;
  /** What to do, as a sentence; shown after the problem. */
  readonly remedy?: string;
}

export interface ErrorDetails {
  readonly problems?: readonly Problem[];
  /** What to do about it; appended to the message. */
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** `file:line:column: path: what. remedy`, as compilers write it, so that editors can jump to it. */
export function problemText({ at, what, remedy }: Problem): string {
  const place = at ? [at.file, at.line, at.line === undefined ? undefined : at.column].filter((p) => p !== undefined).join(':') : '';
  const where = [place, at?.path].filter(Boolean).join(': ');
  return `${where ? `${where}: ` : ''}${what}${remedy ? `. ${remedy}` : ''}`;
}

/**
 * The one error class. `code` is stable; the message is one sentence that ends with the remedy. `problems` holds each
 * single finding when the user's input has several.
 */
export class FakeIstiodError extends Error {
  override readonly name = 'FakeIstiodError';
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(
      details.remedy ? `${message}${/[.?!]$/.test(message) ? '' : '.'} ${details.remedy}` : message,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.problems = details.problems ?? [];
    this.remedy = details.remedy;
  }

  /** Whose fault it is, as a process exit code. */
  get exitCode(): ExitCode {
    return errorCatalogue[this.code];
  }

  /** An error that lists one or more problems of the user's input, the message being those problems, a line each. */
  static of(code: ErrorCode, problems: readonly Problem[], cause?: unknown): FakeIstiodError {
    return new FakeIstiodError(code, problems.map(problemText).join('\n'), { problems, cause });
  }

  /** `value` itself if it is ours, else an `internal` error that keeps it as the cause. */
  static from(value: unknown): FakeIstiodError {
    if (value instanceof FakeIstiodError) return value;
    const text = value instanceof Error ? value.message : String(value);
    return new FakeIstiodError('internal', text, { cause: value });
  }
}
