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
  'usage.invalid': ExitCode.input,
  'input.unreadable': ExitCode.input,
  'input.empty': ExitCode.input,
  'input.not-utf8': ExitCode.input,
  'input.too-large': ExitCode.input,
  'input.syntax': ExitCode.input,
  'input.unrecognised': ExitCode.input,
  'scenario.invalid': ExitCode.input,
  'scenario.not-found': ExitCode.input,
  'resource.invalid': ExitCode.input,
  'bootstrap.invalid': ExitCode.input,
  'options.invalid': ExitCode.input,
  'envoy.not-found': ExitCode.environment,
  'envoy.install-failed': ExitCode.environment,
  'envoy.start-failed': ExitCode.environment,
  'envoy.exited': ExitCode.environment,
  'envoy.unreachable': ExitCode.environment,
  'docker.unavailable': ExitCode.environment,
  'port.in-use': ExitCode.environment,
  'port.forbidden': ExitCode.environment,
  'output.unwritable': ExitCode.environment,
  'wait.timed-out': ExitCode.unexpected,
  'push.nacked': ExitCode.unexpected,
  'istiod.stopped': ExitCode.unexpected,
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
    super(details.remedy ? `${message}. ${details.remedy}` : message, details.cause === undefined ? undefined : { cause: details.cause });
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
