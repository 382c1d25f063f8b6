import type { DocumentPath } from '../protobuf/document.ts';
import type { Findings } from './findings.ts';
import { readCommands, type CommandReading } from './read-command.ts';
import { readTrigger } from './read-trigger.ts';
import type { Step } from './scenario.ts';
import type { StepForm } from './schema.ts';

/** Whose steps they are, of several istiods, and where they stand. */
export interface StepsPlace {
  readonly path: DocumentPath;
  /** Of an istiod with a name: steps without one are called `first step 1`. */
  readonly owner?: string;
}

/** Steps as written. */
export function readSteps(written: readonly StepForm[], { path, owner }: StepsPlace, reading: CommandReading): readonly Step[] {
  return written.map((step, i) => readStep(step, `${owner === undefined ? '' : `${owner} `}step ${i + 1}`, [...path, i], reading));
}

/** Steps of one name would be one moment. `places` are where they stand. */
export function checkStepNames(steps: readonly Step[], places: readonly DocumentPath[], findings: Findings): void {
  for (const [i, { name }] of steps.entries()) {
    const path = places[i] ?? [];
    const first = steps.findIndex((step) => step.name === name);
    if (first < i) findings.report(path, `two steps have the name ${JSON.stringify(name)}`, 'Rename one: a name is a moment');
    if (name === 'start') findings.report(path, 'start is the moment at which a run begins', 'Give the step another name');
  }
}

function readStep(written: StepForm, unnamed: string, path: DocumentPath, reading: CommandReading): Step {
  const commands = written.do === undefined ? [] : Array.isArray(written.do) ? written.do : [written.do];
  if (written.do === undefined && written.name === undefined)
    reading.findings.report(path, 'the step does nothing and has no name to be referred to', 'Write do, or name');
  return {
    name: written.name ?? unnamed,
    when: readTrigger(written.when, [...path, 'when'], reading.findings),
    commands: commands.flatMap((command, i) =>
      readCommands(command, Array.isArray(written.do) ? [...path, 'do', i] : [...path, 'do'], reading),
    ),
    optional: written.optional ?? false,
    ...(written.variant ? { variant: written.variant } : {}),
    at: reading.findings.at(path),
  };
}

/** Every moment that steps mark. */
export function momentsOf(steps: readonly Step[]): string[] {
  return steps.flatMap(({ name, commands }) => [name, ...commands.flatMap((command) => (command.kind === 'mark' ? [command.moment] : []))]);
}
