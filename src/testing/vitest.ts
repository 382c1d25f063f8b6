/** Entry point `fake-istiod/testing/vitest`: the matchers are there once it is imported, with their types, and `istiodTest`. */
import { expect, test, type TestAPI } from 'vitest';
import { istiodFixtures, type IstiodFixtures } from './fixtures.ts';
import { istiodMatchers, type AsymmetricIstiodMatchers, type IstiodMatchers } from './matchers.ts';
import type { TestBedOptions } from './test-bed.ts';

declare module 'vitest' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- the way in which vitest is told of matchers; the parameter must be its own
  interface Assertion<T> extends IstiodMatchers {}
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- as above
  interface AsymmetricMatchersContaining extends AsymmetricIstiodMatchers {}
}

expect.extend(istiodMatchers);

/** vitest's `test`, with `istiod`, `envoy` and `startEnvoy` for each test that names them. */
export function istiodTest(options: TestBedOptions = {}): TestAPI<IstiodFixtures> {
  return test.extend<IstiodFixtures>(istiodFixtures(options));
}

export type { IstiodFixtures } from './fixtures.ts';
