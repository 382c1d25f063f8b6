import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.ts';

export interface FollowedFileOptions {
  readonly clock: Clock;
  /** Told each whole line, without its end. */
  readonly onLine: (line: string) => void;
}

const pauseMs = 100;

/**
 * Follows a file that somebody else writes, from its beginning; it need not be there yet. A file that got shorter, or another one in its
 * place, is read anew. `stop` reads what is there, then ends.
 */
export class FollowedFile {
  private readonly path: string;
  private readonly options: FollowedFileOptions;
  private decoder = new StringDecoder('utf8');
  private rest = '';
  private position = 0;
  private inode: number | undefined;
  private stopped = false;
  private callOff: () => void = () => undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(path: string, options: FollowedFileOptions) {
    this.path = path;
    this.options = options;
    this.again();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.callOff();
    await this.turn;
    await this.read();
  }

  private again(): void {
    this.turn = this.read().then(() => {
      if (!this.stopped) this.callOff = this.options.clock.after(pauseMs, () => this.again());
    });
  }

  private async read(): Promise<void> {
    // Not there yet, or not for the moment: the next look tells.
    const file = await open(this.path, 'r').catch(() => undefined);
    if (!file) return;
    try {
      await this.readFrom(file);
    } finally {
      await file.close();
    }
  }

  private async readFrom(file: FileHandle): Promise<void> {
    const { size, ino } = await file.stat();
    if (ino !== this.inode || size < this.position) {
      this.inode = ino;
      this.position = 0;
      this.rest = '';
      this.decoder = new StringDecoder('utf8');
    }
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, this.position);
      if (bytesRead === 0) return;
      this.position += bytesRead;
      const lines = `${this.rest}${this.decoder.write(buffer.subarray(0, bytesRead))}`.split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.options.onLine(line);
    }
  }
}
