/** An expectation came true as demanded. */
export interface ExpectationMet {
  readonly event: 'expectation.met';
  /** Position in the scenario's list, from 0. */
  readonly index: number;
  /** The expectation in English. */
  readonly sentence: string;
}

/** An expectation can no longer come true. */
export interface ExpectationFailed {
  readonly event: 'expectation.failed';
  readonly index: number;
  readonly sentence: string;
  /** What was seen instead. */
  readonly reason: string;
}

export type ExpectationEvent = ExpectationMet | ExpectationFailed;
