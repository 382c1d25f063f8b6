import { FakeIstiodError } from '../errors.ts';
import { withTimelineAtError } from './evidence.ts';
import { startTestBed, type TestBed, type TestBedOptions } from './test-bed.ts';

/** A framework's hooks; those of jest, vitest, mocha and `node:test` fit. */
export interface TestHooks {
  readonly beforeEach: (hook: () => Promise<void>) => unknown;
  readonly afterEach: (hook: () => Promise<void>) => unknown;
}

/**
 * Gives each test that follows a test bed of its own, and stops it after the test. Called at the top of a file or of a `describe`; the
 * properties are those of the test at hand. `hooks` default to the global `beforeEach` and `afterEach`, which jest has.
 *
 * @throws FakeIstiodError `options.invalid` if there are no such globals, or a property is read outside a test.
 */
export function setUpIstiod(options: TestBedOptions = {}, hooks: TestHooks = globalHooks()): Omit<TestBed, 'stop' | symbol> {
  let current: TestBed | undefined;
  hooks.beforeEach(async () => {
    current = await startTestBed(options);
  });
  hooks.afterEach(async () => {
    const last = current;
    current = undefined;
    await last?.stop();
  });
  const bed = (): TestBed => {
    if (current) return current;
    throw new FakeIstiodError('options.invalid', 'there is no test bed outside a test', {
      remedy: 'Read istiod and envoy inside the test; `const { envoy } = setUpIstiod()` at the top of a file reads too early',
    });
  };
  return {
    get istiod() {
      return bed().istiod;
    },
    get envoy() {
      return bed().envoy;
    },
    startEnvoy: (more) => bed().startEnvoy(more),
  };
}

/**
 * A test function with a test bed of its own, for any framework: `test('…', withIstiod({ scenario }, async ({ istiod, envoy }) => { … }))`.
 * All is stopped in the end, and what fails has the last events of the timeline in its message.
 */
export function withIstiod(options: TestBedOptions, body: (bed: TestBed) => unknown): () => Promise<void> {
  // No parameter: jest would take one for a callback that it has to wait for.
  return async () => {
    const bed = await startTestBed(options);
    try {
      await body(bed);
    } catch (error) {
      throw withTimelineAtError(error, bed.istiod.timeline);
    } finally {
      await bed.stop();
    }
  };
}

function globalHooks(): TestHooks {
  const { beforeEach, afterEach } = globalThis as Partial<TestHooks>;
  if (typeof beforeEach === 'function' && typeof afterEach === 'function') return { beforeEach, afterEach };
  throw new FakeIstiodError('options.invalid', 'there are no global beforeEach and afterEach here', {
    remedy: 'Hand over those of your framework: setUpIstiod({ scenario }, { beforeEach, afterEach })',
  });
}
