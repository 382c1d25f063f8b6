import { FakeIstiodError } from '../errors.ts';
import type { Scenario } from '../script/scenario.ts';
import { compiledScenario } from './compiled-scenario.ts';

/** The largest file read, in bytes. */
interface Limit {
  readonly maxInput: number;
}

/** The scenario that a person means: a path, else the name of a packaged one. Errors as `loadScenario` and `findScenario`. */
export async function scenarioNamed(nameOrPath: string, { maxInput }: Limit): Promise<Scenario> {
  const compiled = compiledScenario(nameOrPath, maxInput);
  if (compiled) return compiled;
  const [{ findScenario }, { loadScenario }] = await Promise.all([import('../script/packaged.ts'), import('../script/load.ts')]);
  return loadScenario(await findScenario(nameOrPath), { maxInputBytes: maxInput });
}

/** The same with its own mutation made, which it still tells. */
export async function mutatedScenarioNamed(nameOrPath: string, limit: Limit): Promise<Scenario> {
  const { mutation, file } = await scenarioNamed(nameOrPath, limit);
  const { mutatedScenario } = await import('../script/mutation.ts');
  const mutated = await mutatedScenario(file ?? nameOrPath, { maxInputBytes: limit.maxInput });
  return mutation ? { ...mutated, mutation } : mutated;
}

/** All of them; what is wrong with several files is said at once. */
export async function scenariosNamed(names: readonly string[], load: (name: string) => Promise<Scenario>): Promise<readonly Scenario[]> {
  const outcomes = await Promise.allSettled(names.map(load));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [FakeIstiodError.from(outcome.reason)] : []));
  const [first, ...more] = failures;
  const alone = failures.find(({ code }) => code === 'internal') ?? (more.length === 0 ? first : undefined);
  if (alone) throw alone;
  if (first) {
    const problems = failures.flatMap((failure) => (failure.problems.length > 0 ? failure.problems : [{ what: failure.message }]));
    throw FakeIstiodError.of(first.code, problems);
  }
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
