/**
 * Entry point `fake-istiod/testing/jest`: imported, or listed under `setupFilesAfterEnv`, it gives jest's `expect` the matchers, with their
 * types.
 */
// For the types: without it the compiler does not know the module that is added to below.
import type {} from 'expect';
import { FakeIstiodError } from '../errors.ts';
import { istiodMatchers, type AsymmetricIstiodMatchers, type IstiodMatchers } from './matchers.ts';

declare module 'expect' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- the way in which jest is told of matchers; the parameters must be its own
  interface Matchers<R extends void | Promise<void>, T> extends IstiodMatchers {}
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- as above
  interface AsymmetricMatchers extends AsymmetricIstiodMatchers {}
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- where @types/jest keeps its matchers
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unused-vars -- as above
    interface Matchers<R, T> extends IstiodMatchers {}
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- as above
    interface Expect extends AsymmetricIstiodMatchers {}
  }
}

interface Extendable {
  extend(matchers: typeof istiodMatchers): void;
}

const { expect } = globalThis as { readonly expect?: Extendable };
if (typeof expect?.extend !== 'function') {
  throw new FakeIstiodError('options.invalid', 'fake-istiod/testing/jest was imported where there is no global expect', {
    remedy: "List it under setupFilesAfterEnv (not setupFiles), or call expect.extend(istiodMatchers) of 'fake-istiod/testing' yourself",
  });
}
expect.extend(istiodMatchers);

export {};
