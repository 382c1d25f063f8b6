import type { LabFile } from './lab-file.ts';

/** What became of a file: made, there already with the same content, or there with somebody's own, which is left alone. */
export type FileState = 'written' | 'unchanged' | 'kept';

/** What is said while the lab is made. */
export type LabTold =
  /** A part of the lab begins. */
  | { readonly kind: 'part'; readonly title: string }
  | { readonly kind: 'file'; readonly file: LabFile; readonly name: string; readonly state: FileState; readonly about: string }
  /** Something to know. */
  | { readonly kind: 'note'; readonly text: string };
