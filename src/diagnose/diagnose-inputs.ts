import type { FakeIstiodError } from '../errors.ts';
import { failures as streamFailures } from './asked.ts';
import { diagnose } from './diagnose.ts';
import type { Diagnosis } from './diagnose.ts';
import type { InputKind } from './input.ts';
import { lookAt } from './look.ts';
import type { LookedMoment, LookOptions } from './look.ts';
import { Seen } from './seen.ts';

/** The diagnosis of one moment. */
export interface MomentDiagnosis extends Omit<LookedMoment, 'readings'> {
  /** Streams to istiod had failed by then. */
  readonly hasFailures: boolean;
  readonly diagnosis: Diagnosis;
}

/** What came out of all inputs. */
export interface InputsDiagnosis {
  /** The moment that matters: the last at which the proxy was not as it should be, else the last of all. */
  readonly main: MomentDiagnosis;
  /** All of them, in order of time; one where the inputs are no report. */
  readonly moments: readonly MomentDiagnosis[];
  readonly inputs: readonly { readonly source: string; readonly kind: InputKind }[];
  readonly notes: readonly string[];
  /** Inputs that could not be read. */
  readonly failures: readonly FakeIstiodError[];
}

/** Reads inputs and diagnoses them. Errors as `lookAt`. */
export async function diagnoseInputs(options: LookOptions): Promise<InputsDiagnosis> {
  const { moments, failures } = await lookAt(options);
  const diagnosed = moments.map(({ readings, ...moment }) => {
    const seen = new Seen(
      readings.flatMap(({ facts }) => facts),
      readings.map(({ kind }) => kind),
    );
    return { ...moment, hasFailures: streamFailures(seen).length > 0, diagnosis: diagnose(seen) };
  });
  const end = diagnosed.at(-1);
  if (!end) throw new Error('a look has at least one moment');
  const last = moments.at(-1)?.readings ?? [];
  return {
    main: mainMoment(diagnosed) ?? end,
    moments: diagnosed,
    inputs: last.map(({ source, kind }) => ({ source, kind })),
    notes: [...new Set(last.flatMap(({ notes }) => notes))],
    failures,
  };
}

/** Shorter stays in a state are the usual way to LIVE. */
const stuckMs = 400;

/**
 * The end if something is wrong with it. A run that recovers is about what was before: the last moment before a step at which the proxy
 * was not ready, else one that lasted.
 */
export function mainMoment(moments: readonly MomentDiagnosis[]): MomentDiagnosis | undefined {
  const end = moments.at(-1);
  const isBad = ({ diagnosis }: MomentDiagnosis): boolean => diagnosis.class !== 'ready' && diagnosis.class !== 'unknown';
  const hasCause = ({ diagnosis }: MomentDiagnosis): boolean =>
    diagnosis.causes.some(({ harmless, certainty }) => !harmless && certainty !== 'possible');
  if (end && (isBad(end) || (hasCause(end) && moments.every((one) => !isBad(one) || one.kind !== 'step')))) return end;
  const before = moments.slice(0, -1).reverse();
  return (
    before.find((one) => one.kind === 'step' && isBad(one) && hasCause(one)) ??
    before.find((one) => one.kind === 'state' && isBad(one) && hasCause(one) && ((one.sinceMs ?? 0) >= stuckMs || one.hasFailures)) ??
    end
  );
}
