import type { EnvoyProcess } from '../envoy/index.ts';
import type { FakeIstiod, Timeline } from '../index.ts';
import { withTimelineAtError } from './evidence.ts';
import { Disposer, startEnvoyAt, startPrepared, type TestBedOptions, type TestEnvoyOptions } from './test-bed.ts';

/** What each test is given, as far as it asks for it. */
export interface IstiodFixtures {
  /** The test's own fake istiod. */
  readonly istiod: FakeIstiod;
  /** The test's own Envoy, connected to it. Started only for tests that name it. */
  readonly envoy: EnvoyProcess;
  /** Starts a further Envoy for the test. Give it a `node` of its own. */
  readonly startEnvoy: (options?: TestEnvoyOptions) => Promise<EnvoyProcess>;
}

/** What a fixture needs of vitest's test context. */
interface FixtureContext {
  readonly task: { readonly result?: { readonly errors?: readonly unknown[] | undefined } | undefined };
  readonly onTestFailed: (hook: () => void) => void;
}

type Use<T> = (value: T) => Promise<void>;
type Fixture<C, T> = (context: C, use: Use<T>) => Promise<void>;

/** The fixtures in the form of vitest's `test.extend`. */
export interface FixtureFunctions {
  readonly istiod: Fixture<FixtureContext, FakeIstiod>;
  readonly envoy: Fixture<Pick<IstiodFixtures, 'istiod'>, EnvoyProcess>;
  readonly startEnvoy: Fixture<Pick<IstiodFixtures, 'istiod'>, IstiodFixtures['startEnvoy']>;
}

/**
 * Fixtures for vitest's `test.extend`: each test has its own fake istiod and Envoy, stopped when it is over, and a test that fails has the
 * last events of the timeline in its message.
 */
export function istiodFixtures(options: TestBedOptions = {}): FixtureFunctions {
  const ends = new WeakMap<FakeIstiod, Timeline>();
  /** Hands a fixture to the test, and stops it afterwards. What the stop brings about has nothing to do with a failure. */
  const lend = async <T>(value: T, istiod: FakeIstiod, use: Use<T>, stop: () => Promise<void>): Promise<void> => {
    try {
      await use(value);
    } finally {
      if (!ends.has(istiod)) ends.set(istiod, upToNow(istiod.timeline));
      await stop();
    }
  };
  return {
    // vitest reads from the parameter's text which other fixtures one needs.
    istiod: async ({ task, onTestFailed }, use) => {
      const istiod = await startPrepared(options);
      onTestFailed(() => {
        for (const error of task.result?.errors?.slice(0, 1) ?? []) withTimelineAtError(error, ends.get(istiod) ?? istiod.timeline);
      });
      await lend(istiod, istiod, use, () => istiod.stop());
    },
    envoy: async ({ istiod }, use) => {
      const disposer = new Disposer();
      await lend(await startEnvoyAt(istiod, options.envoy ?? {}, disposer), istiod, use, () => disposer.stop());
    },
    startEnvoy: async ({ istiod }, use) => {
      const disposer = new Disposer();
      const start: IstiodFixtures['startEnvoy'] = (more = {}) => startEnvoyAt(istiod, { ...options.envoy, ...more }, disposer);
      await lend(start, istiod, use, () => disposer.stop());
    },
  };
}

/** The timeline as it is now, whatever comes later. */
function upToNow(timeline: Timeline): Timeline {
  const events = [...timeline.events];
  return { ...timeline, events, last: (count) => (count > 0 ? events.slice(-count) : []) };
}
