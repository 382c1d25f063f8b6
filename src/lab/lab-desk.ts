import { readOutput } from './grade-output.ts';
import { labFiles, type LabFile } from './lab-file.ts';
import type { LabFolder } from './lab-folder.ts';
import type { FileState, LabTold } from './lab-told.ts';

/** Puts files into the folder. What somebody else has put there is kept, unless it is to be overwritten. */
export class LabDesk {
  readonly folder: LabFolder;
  readonly files: { readonly file: LabFile; readonly state: FileState }[] = [];
  readonly #force: boolean;
  readonly #tell: (told: LabTold) => void;

  constructor(folder: LabFolder, force: boolean, tell: (told: LabTold) => void) {
    this.folder = folder;
    this.#force = force;
    this.#tell = tell;
  }

  /** `name`: where the mesh config already has another name in the folder. */
  put(file: LabFile, content: string | Uint8Array, about: string = labFiles[file], name: string = file): FileState {
    return this.#put(file, name, content, about, this.#stateOf(name, content));
  }

  /** As `put`, of what Envoy printed: a file that differs in times and threads alone says the same. */
  putOutput(file: LabFile, text: string, about: string): FileState {
    const there = this.folder.text(file);
    const isSame = there !== undefined && essenceOf(there) === essenceOf(text);
    return this.#put(file, file, text, about, isSame ? 'unchanged' : this.#stateOf(file, text));
  }

  #put(file: LabFile, name: string, content: string | Uint8Array, about: string, state: FileState): FileState {
    if (state === 'written') this.folder.write(name, content);
    this.files.push({ file, state });
    this.#tell({ kind: 'file', file, name, state, about });
    return state;
  }

  tell(told: LabTold): void {
    this.#tell(told);
  }

  #stateOf(name: string, content: string | Uint8Array): FileState {
    if (!this.folder.has(name)) return 'written';
    if (this.folder.holds(name, content)) return 'unchanged';
    return this.#force ? 'written' : 'kept';
  }
}

function essenceOf(output: string): string {
  const { words, rc } = readOutput(output);
  return [...words, rc?.code].join('\n');
}
