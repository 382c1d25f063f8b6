import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { labFiles, workFiles, type LabFile } from './lab-file.ts';

/** A folder of the lab on disk. */
export class LabFolder {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** Names of what is in it, in order; nothing if it is not there. */
  get names(): readonly string[] {
    try {
      return readdirSync(this.dir).sort();
    } catch {
      return [];
    }
  }

  /** Whether a file has just this content. */
  holds(name: string, text: string | Uint8Array): boolean {
    try {
      return readFileSync(this.path(name)).equals(Buffer.from(text));
    } catch {
      return false;
    }
  }

  /** What a file holds; undefined if it cannot be read. */
  text(name: string): string | undefined {
    try {
      return readFileSync(this.path(name), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Makes the folder and those around it. Error `output.unwritable`. */
  make(): void {
    this.#writing(() => mkdirSync(this.dir, { recursive: true }));
  }

  /** Writes a file, whatever was there. Error `output.unwritable`. */
  write(name: string, text: string | Uint8Array): void {
    this.#writing(() => writeFileSync(this.path(name), text));
  }

  #writing(act: () => void): void {
    try {
      act();
    } catch (cause) {
      throw new FakeIstiodError('output.unwritable', `${this.dir} cannot be written to: ${(cause as Error).message}`, {
        remedy: 'Name a folder that you may write to',
        cause,
      });
    }
  }
}

/**
 * A folder with a student's files.
 *
 * @throws FakeIstiodError `input.unreadable` if it is not there or no folder; `input.unrecognised` if it holds nothing of the lab.
 */
export function studentFolder(dir: string): LabFolder {
  const refuse = (code: 'input.unreadable' | 'input.unrecognised', what: string, remedy: string): never => {
    throw FakeIstiodError.of(code, [{ at: { file: dir }, what, remedy }]);
  };
  try {
    if (!statSync(dir).isDirectory()) refuse('input.unreadable', 'is no folder', "Name the folder that the lab's files are in");
    readdirSync(dir);
  } catch (error) {
    if (error instanceof FakeIstiodError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') refuse('input.unreadable', 'no such folder', `\`fake-istiod lab ${dir}\` makes one`);
    refuse('input.unreadable', `cannot be read (${code ?? 'unknown error'})`, 'Give this user read permission');
  }
  const folder = new LabFolder(dir);
  if (workFiles.some((file) => folder.has(file))) return folder;
  const below = folder.names.find((name) => workFiles.some((file) => folder.has(join(name, file))));
  const names = `${workFiles[0] ?? ''}, ${workFiles[1] ?? ''} … ${workFiles.at(-1) ?? ''}`;
  return refuse(
    'input.unrecognised',
    `holds none of the lab's files (${names})`,
    below === undefined
      ? `\`fake-istiod lab DIR\` makes a folder that has all ${Object.keys(labFiles).length}`
      : `Is ${join(dir, below)} meant?`,
  );
}

/** Whether a name is one of the lab's own. */
export function isLabFile(name: string): name is LabFile {
  return name in labFiles;
}
