import { FakeIstiodError } from '../errors.ts';
import type { Scenario } from '../script/scenario.ts';

/** The largest file read, in bytes. */
interface Limit {
  readonly maxInput: number;
}

/** The scenario that a person means: a path, else the name of a packaged one. Errors as `loadScenario` and `findScenario`. */
export async function scenarioNamed(nameOrPath: string, { maxInput }: Limit): Promise<Scenario> {
  const [{ findScenario }, { loadScenario }] = await Promise.all([import('../script/packaged.ts'), import('../script/load.ts')]);
  return loadScenario(await findScenario(nameOrPath), { maxInputBytes: maxInput });
}

/** The same with its own mutation made. */
export async function mutatedScenarioNamed(nameOrPath: string, { maxInput }: Limit): Promise<Scenario> {
  const [{ findScenario }, { mutatedScenario }] = await Promise.all([import('../script/packaged.ts'), import('../script/mutation.ts')]);
  return mutatedScenario(await findScenario(nameOrPath), { maxInputBytes: maxInput });
}

/** All of them; what is wrong with several files is said at once. */
export async function scenariosNamed(names: readonly string[], load: (name: string) => Promise<Scenario>): Promise<readonly Scenario[]> {
  const outcomes = await Promise.allSettled(names.map(load));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [FakeIstiodError.from(outcome.reason)] : []));
  const defect = failures.find(({ code }) => code === 'internal');
  const [first, ...more] = failures;
  if (defect ?? (first && more.length === 0)) throw defect ?? first;
  if (first) {
    const problems = failures.flatMap((failure) => (failure.problems.length > 0 ? failure.problems : [{ what: failure.message }]));
    throw FakeIstiodError.of(first.code, problems);
  }
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
