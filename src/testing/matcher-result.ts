/** What a matcher gives vitest and jest. `message` is asked for when the expectation fails. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What vitest and jest bind a matcher to, as far as it matters here. */
export interface MatcherContext {
  /** True under `.not`. */
  readonly isNot?: boolean | undefined;
}

/** How long an Envoy may take unless the test says otherwise: less than the 5 s that vitest and jest allow a test, so that it is this error that is read. */
export const matcherTimeoutMs = 4_000;
/** How long something must not happen, under `.not`, for states: they come by themselves. */
export const notWithinMs = 500;

/** `expected SUBJECT (not) to DO, but WHY` and what is known beside. */
export function told(pass: boolean, sentence: string, why: string, more: string): MatcherResult {
  return { pass, message: () => [`expected ${sentence}, but ${why}`, more].filter(Boolean).join('\n') };
}
