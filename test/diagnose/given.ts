import { diagnose } from '../../src/diagnose/diagnose.ts';
import type { Diagnosis } from '../../src/diagnose/diagnose.ts';
import { readInput } from '../../src/diagnose/read-input.ts';
import { Seen } from '../../src/diagnose/seen.ts';

/** Diagnoses texts by file name; empty ones are left out. */
export function diagnosed(files: Readonly<Record<string, string>>): Diagnosis {
  const readings = Object.entries(files)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => readInput({ name, text }));
  return diagnose(
    new Seen(
      readings.flatMap(({ facts }) => facts),
      readings.map(({ kind }) => kind),
    ),
  );
}

/** `id` of each cause, with a `?` behind those that only fit and `??` behind those that are possible. */
export function causesOf({ causes }: Pick<Diagnosis, 'causes'>): readonly string[] {
  return causes.map(({ id, certainty }) => `${id}${{ shown: '', fits: '?', possible: '??' }[certainty]}`);
}

/** Stats as `/stats` prints them. */
export function statsText(stats: Readonly<Record<string, number | string>>): string {
  return Object.entries(stats)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}
