import { problemText } from '../errors.ts';
import type { Diagnosis } from './diagnose.ts';
import type { InputsDiagnosis, MomentDiagnosis } from './diagnose-inputs.ts';

/** A diagnosis for programs: that of the main moment, and all moments below `moments`. */
export function diagnosisJson({ main, moments, inputs, notes, failures }: InputsDiagnosis): object {
  return {
    ...momentJson(main),
    moments: moments.map(momentJson),
    inputs,
    notes,
    failures: failures.map(({ code, message, problems }) => ({ code, message, problems: problems.map(problemText) })),
  };
}

function momentJson({ diagnosis, name, kind, atMs }: MomentDiagnosis): object {
  return { moment: name, momentKind: kind, ...(atMs === undefined ? {} : { atMs }), ...plain(diagnosis) };
}

function plain({ class: kind, state, agent, evidence, causes, past, missing }: Diagnosis): object {
  return { class: kind, state: state ?? null, agent: agent ?? null, evidence, causes, past, missing };
}
