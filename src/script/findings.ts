import { FakeIstiodError, problemText, type ErrorCode, type Problem } from '../errors.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { wordRemedy } from './nearest.ts';

/** No more problems than this are shown in one message; `problems` of the error has all. */
const shownProblems = 10;

/** Collects everything that is wrong with a scenario file, so that it is reported at once. */
export class Findings {
  private readonly problems: Problem[] = [];
  private readonly texts = new Set<string>();
  private readonly references: { readonly path: DocumentPath; readonly moment: string }[] = [];
  readonly at: PositionOf;
  /** Names of the scenario's Envoys and their node ids; empty if it has one without a name. */
  envoys: ReadonlyMap<string, string> = new Map();
  /** Names of its istiods; empty if it has one without a name. */
  istiods: readonly string[] = [];

  constructor(at: PositionOf) {
    this.at = at;
  }

  /** New findings of the same document, whose paths begin with `steps` steps that are not in it. */
  below(steps: number): Findings {
    return new Findings((path, of) => this.at(path.slice(steps), of));
  }

  /** Takes note of a problem at a place. `of` points at the key instead of the value. */
  report(path: DocumentPath, what: string, remedy?: string, of: 'key' | 'value' = 'value'): void {
    this.add({ at: this.at(path, of), what, ...(remedy ? { remedy } : {}) });
  }

  /** Takes note of a problem, unless it is known already. */
  add(problem: Problem): void {
    const text = problemText(problem);
    if (this.texts.has(text)) return;
    this.texts.add(text);
    this.problems.push(problem);
  }

  /** Takes over the problems of an error about resources; other errors stand at `path`. */
  take(path: DocumentPath, error: unknown): void {
    if (!(error instanceof FakeIstiodError) || error.code === 'internal') throw error;
    if (error.code === 'resource.invalid' && error.problems.length > 0) for (const problem of error.problems) this.add(problem);
    else this.report(path, error.message);
  }

  /** Remembers that `path` names a moment; `checkMoments` looks whether there is one. */
  refer(path: DocumentPath, moment: string): void {
    this.references.push({ path, moment });
  }

  /** Reports every reference to a moment that nothing marks. */
  checkMoments(known: readonly string[]): void {
    for (const { path, moment } of this.references) {
      if (known.includes(moment)) continue;
      this.report(
        path,
        `unknown moment ${JSON.stringify(moment)}: it is not start, no step has that name and no mark command marks it`,
        wordRemedy(moment, known),
      );
    }
  }

  /** @throws FakeIstiodError `scenario.invalid`, or `code`, if anything was found, in the order of the file. */
  throwIfAny(code: ErrorCode = 'scenario.invalid'): void {
    if (this.problems.length === 0) return;
    const problems = this.problems.toSorted((a, b) => (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0));
    const more = problems.length - shownProblems;
    const lines = [...problems.slice(0, shownProblems).map(problemText), ...(more > 0 ? [`and ${more} more`] : [])];
    throw new FakeIstiodError(code, lines.join('\n'), { problems });
  }
}
