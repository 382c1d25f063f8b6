import type { EnvoyProcess } from '../envoy/index.ts';
import { startFakeIstiod, type FakeIstiod } from '../index.ts';
import { withTimelineAtError } from './evidence.ts';
import { Disposer, startEnvoyAt, type TestBedOptions, type TestEnvoyOptions } from './test-bed.ts';

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
export function istiodFixtures({ envoy: envoyOptions = {}, ...options }: TestBedOptions = {}): FixtureFunctions {
  return {
    // vitest reads from the parameter's text which other fixtures one needs.
    istiod: async ({ task, onTestFailed }, use) => {
      const istiod = await startFakeIstiod(options);
      onTestFailed(() => {
        for (const error of task.result?.errors?.slice(0, 1) ?? []) withTimelineAtError(error, istiod.timeline);
      });
      await use(istiod).finally(() => istiod.stop());
    },
    envoy: async ({ istiod }, use) => {
      const disposer = new Disposer();
      const envoy = await startEnvoyAt(istiod, envoyOptions, disposer);
      await use(envoy).finally(() => disposer.stop());
    },
    startEnvoy: async ({ istiod }, use) => {
      const disposer = new Disposer();
      const start: IstiodFixtures['startEnvoy'] = (more = {}) => startEnvoyAt(istiod, { ...envoyOptions, ...more }, disposer);
      await use(start).finally(() => disposer.stop());
    },
  };
}
