import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { diagnoseInputs } from '../../src/diagnose/diagnose-inputs.ts';
import type { InputsDiagnosis } from '../../src/diagnose/diagnose-inputs.ts';
import { readDocument } from '../../src/protobuf/document.ts';
import type { TimelineEvent } from '../../src/events.ts';
import { runScenario } from '../../src/runner/run.ts';
import type { Expectation } from '../../src/script/expectation.ts';
import { replacedAt } from '../../src/script/json-pointer.ts';
import { scenarioFromDocument } from '../../src/script/load.ts';
import type { Scenario, Step } from '../../src/script/scenario.ts';
import { atLive, diagnosedScenarios } from './diagnosed-scenarios.ts';
import type { ScenarioDiagnosis } from './diagnosed-scenarios.ts';
import { packagedRuns } from './packaged-runs.ts';
import { realEnvoy } from './real-envoy.ts';

beforeAll(async () => {
  await realEnvoy();
});

const runs = (await packagedRuns()).map((run) => ({ ...run, wanted: diagnosedScenarios[run.name] }));

async function withFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'fake-istiod-diagnose-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Class and causes as the tables have them; what is only possible is not said of a running proxy. */
function told({ main }: InputsDiagnosis): readonly string[] {
  const causes = main.diagnosis.causes.filter(({ certainty }) => certainty !== 'possible');
  return [main.diagnosis.class, ...causes.map(({ id }) => id)];
}

/** All moments in words, for whoever reads why a test failed. */
function momentsOf({ moments }: InputsDiagnosis): string {
  return moments
    .map(
      ({ name, sinceMs, diagnosis }) =>
        `${name} (${sinceMs ?? '-'}): ${diagnosis.class} ${diagnosis.causes.map(({ id, certainty }) => `${id} ${certainty}`).join(', ')}`,
    )
    .join('; ');
}

/** Never met, so that the run goes on until it is called off. */
const unending: Expectation = {
  index: 0,
  subject: { kind: 'state', states: ['DRAINING'] },
  timing: { kind: 'within', ms: 40_000 },
  after: 'start',
};

/** The scenario without the step that heals it and what comes after. */
async function unhealed(file: string, { healedBy, keptBy = {} }: ScenarioDiagnosis): Promise<Scenario> {
  const document = readDocument(file);
  const value = Object.entries(keptBy).reduce(
    (changed, [pointer, replacement]) => replacedAt(changed, pointer, replacement),
    document.value,
  );
  const scenario = await scenarioFromDocument({ ...document, value });
  const index = scenario.steps.findIndex(({ name }) => name === healedBy);
  return {
    ...scenario,
    steps: index === -1 ? scenario.steps : scenario.steps.slice(0, index),
    expectations: [unending],
    timeoutMs: 45_000,
  };
}

/**
 * The scenario, what heals it coming a second later. Tries follow each other as chance has it (Envoy's backoff is random), so that the last one
 * may come before a busy machine has looked at Envoy once.
 */
async function lasting(file: string, { healedBy, lasts = {} }: ScenarioDiagnosis): Promise<Scenario> {
  const document = readDocument(file);
  const value = Object.entries(lasts).reduce(
    (changed, [pointer, replacement]) => replacedAt(changed, pointer, replacement),
    document.value,
  );
  const scenario = await scenarioFromDocument({ ...document, value });
  const steps = scenario.steps.flatMap((step): readonly Step[] => {
    if (step.name !== healedBy) return [step];
    const ripe: Step = { ...step, name: 'ripe', commands: [] };
    return [ripe, { ...step, when: { kind: 'elapsed', afterMs: 1_000, since: ripe.name } }];
  });
  return { ...scenario, steps };
}

/** A folder for each Envoy of the run. */
function foldersOf({ envoys = [] }: Scenario, reportDir: string): readonly string[] {
  return envoys.length > 0 ? envoys.map(({ name }) => join(reportDir, name)) : [reportDir];
}

describe('the diagnoses of the scenarios', () => {
  it('are told for every scenario of the package', () => {
    expect([...new Set(runs.map(({ name }) => name))].sort()).toEqual(Object.keys(diagnosedScenarios).sort());
  });
});

// While Envoy tries to connect, `connected_state` is 1 for some milliseconds; a run that ends just then looks connected. So it may be made again.
describe.concurrent('from the report of its run', { retry: 2 }, () => {
  it.each(runs)('$name ($variant) is diagnosed as what it is', async ({ file, scenario, variant, wanted }) => {
    await withFolder(async (reportDir) => {
      await runScenario(wanted ? await lasting(file, wanted) : scenario, { variant, envoy: await realEnvoy(), reportDir });
      for (const folder of foldersOf(scenario, reportDir)) {
        const result = await diagnoseInputs({ inputs: [folder] });
        expect(result.failures).toEqual([]);
        expect(told(result), momentsOf(result)).toEqual([wanted?.class, ...(wanted?.causes ?? [])]);
        expect(result.main.name).toMatch(wanted?.moment ?? /^at the end of the run$/);
      }
    });
  });
});

it('The report of several Envoys is no proxy: each has a folder of its own, and is told so', async () => {
  const several = runs.find(({ name, variant }) => name === 'two-networks' && variant === 'delta');
  await withFolder(async (reportDir) => {
    if (several) await runScenario(several.scenario, { variant: 'delta', envoy: await realEnvoy(), reportDir });
    await expect(diagnoseInputs({ inputs: [reportDir] })).rejects.toMatchObject({
      code: 'usage.invalid',
      message: expect.stringContaining(join(reportDir, 'west')),
    });
  });
});

// Of several Envoys each is looked at in its own report.
const looks = runs.flatMap(({ wanted, ...run }) =>
  wanted && wanted.class !== 'crash-loop' && foldersOf(run.scenario, '.').length === 1 ? [{ ...run, wanted }] : [],
);

describe.concurrent('live', { retry: 1 }, () => {
  it.each(looks)('$name ($variant) is diagnosed as what it is', async ({ name, file, variant, wanted }) => {
    const live = atLive[name] ?? wanted;
    const envoy = await realEnvoy();
    await withFolder(async (reportDir) => {
      const events: TimelineEvent[] = [];
      const over = new AbortController();
      let opened: (url: string) => void = () => undefined;
      const admin = new Promise<string>((resolve) => (opened = resolve));
      const run = runScenario(await unhealed(file, wanted), {
        variant,
        envoy,
        reportDir,
        signal: over.signal,
        onEvent: (event) => events.push(event),
        onReady: ({ adminUrl }) => opened(adminUrl ?? ''),
      });
      try {
        const url = await admin;
        const istiod = (): { name: string; bytes: Uint8Array } => ({
          name: 'timeline.ndjson',
          bytes: new TextEncoder().encode(events.map((event) => `${JSON.stringify(event)}\n`).join('')),
        });
        const all = (): Promise<InputsDiagnosis> =>
          diagnoseInputs({ admin: url, inputs: [join(reportDir, 'envoy.log')], texts: [istiod()] });
        await vi.waitFor(async () => expect(told(await all())).toEqual([live.class, ...live.causes]), {
          timeout: 15_000,
          interval: 100,
        });
        const alone = live.byAdminAlone ?? live.causes;
        await vi.waitFor(async () => expect(told(await diagnoseInputs({ admin: url, inputs: [] }))).toEqual([live.class, ...alone]), {
          timeout: 15_000,
          interval: 100,
        });
      } finally {
        over.abort();
        await run;
      }
    });
  });
});
