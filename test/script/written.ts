import { FakeIstiodError } from '../../src/errors.ts';
import { loadScenario } from '../../src/script/load.ts';
import type { Scenario } from '../../src/script/scenario.ts';

/** The scenario of a text. */
export function scenarioOf(text: string, name = 'lab.yaml'): Promise<Scenario> {
  return loadScenario({ name, bytes: new TextEncoder().encode(text) });
}

/** What is said of a text that is no good. */
export async function complaintOf(
  text: string | Uint8Array,
): Promise<{ readonly code: string; readonly message: string; readonly problems: number }> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  try {
    await loadScenario({ name: 'lab.yaml', bytes });
  } catch (error) {
    if (error instanceof FakeIstiodError) return { code: error.code, message: error.message, problems: error.problems.length };
    throw error;
  }
  return { code: 'none', message: 'nothing is wrong', problems: 0 };
}
