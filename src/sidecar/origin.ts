import type { SourcePosition } from '../errors.ts';

/** Where a value comes from, in words: `env ISTIO_META_CLUSTER_ID`, `Istio's default`, `--pod-ip`. */
export interface Origin {
  readonly text: string;
  readonly at?: SourcePosition;
}

/** A value and what it was made of, the nearest origin first. */
export interface Told<T> {
  readonly value: T;
  readonly from: readonly Origin[];
}

/** A path of keys; an element of a list that has a `name` goes by it, any other by its index. */
export type OriginPath = readonly string[];

/** Which parts of a made document come from where. What is not noted comes from what is around it. */
export class Origins {
  readonly #notes: { readonly path: OriginPath; readonly from: readonly Origin[] }[] = [];

  note(path: OriginPath, ...from: readonly Origin[]): void {
    if (from.length > 0) this.#notes.push({ path, from });
  }

  /** Of the path itself or the nearest part around it; the later note wins. */
  of(path: OriginPath): readonly Origin[] {
    let best: { readonly path: OriginPath; readonly from: readonly Origin[] } | undefined;
    for (const note of this.#notes) {
      if (startsWith(path, note.path) && note.path.length >= (best?.path.length ?? 0)) best = note;
    }
    return best?.from ?? [];
  }

  /** Whether a part inside `path` has a note of its own. */
  hasInside(path: OriginPath): boolean {
    return this.#notes.some((note) => note.path.length > path.length && startsWith(note.path, path));
  }
}

function startsWith(path: OriginPath, start: OriginPath): boolean {
  return start.length <= path.length && start.every((step, i) => step === path[i]);
}
