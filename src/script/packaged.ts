/** A scenario that comes with the package. */
export interface PackagedScenario {
  /** What `run` and `explain` take, e.g. `withhold-first-cds`. */
  readonly name: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** Absolute path. */
  readonly file: string;
}

/** The scenarios of the package, by name. */
export async function packagedScenarios(): Promise<readonly PackagedScenario[]> {
  throw new Error('not yet');
}

/**
 * The file that a person means: a path if there is such a file, else a packaged scenario's name.
 *
 * @throws FakeIstiodError `scenario.not-found` with the nearest names.
 */
export async function findScenario(nameOrPath: string): Promise<string> {
  throw new Error(`not yet ${nameOrPath}`);
}
