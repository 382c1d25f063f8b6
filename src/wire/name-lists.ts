import type { Reader } from 'protobufjs/minimal.js';
import { tagOf, WireType } from './message-reader.ts';
import type { NameBudget } from './name-budget.ts';

/** Shorter lists are read as fast as they are found. */
const shortest = 16;
/** So many lists are remembered, the last ones, of at most so many bytes together. */
const kept = 4;
const keptBytes = 4 * 1024 * 1024;

/** The names of one request: a field may come in pieces. */
export class Names {
  list: readonly string[] = [];
  /** The list, where it is nobody else's. */
  #own: string[] | undefined;

  add(piece: readonly string[]): void {
    if (this.list.length === 0) this.list = piece;
    else {
      this.list = this.#own ??= [...this.list];
      for (const name of piece) this.#own.push(name);
    }
  }
}

interface KnownList {
  /** From behind the first name's tag to the end of the last name. */
  readonly bytes: Buffer;
  readonly names: readonly string[];
}

/**
 * Long lists of names, read once: proxies of one mesh ask for the same thousands of clusters, and each says them again in each request. The same
 * bytes are the same array, by which who handles it knows that it has handled it before.
 */
export class NameLists {
  readonly #tag: number;
  #known: KnownList[] = [];

  /** `field`: the number of the repeated field. */
  constructor(field: number) {
    this.#tag = tagOf(field, WireType.bytes);
  }

  /** Reads the names that stand here in a row, the first one's tag being read already. */
  read(reader: Reader, budget: NameBudget): readonly string[] {
    const from = reader.pos;
    const known = this.#known.find(({ bytes }) => this.#standsAt(reader, bytes));
    if (known) {
      budget.spend(known.names.length);
      reader.pos = from + known.bytes.length;
      return known.names;
    }
    const names: string[] = [];
    for (;;) {
      budget.spend();
      names.push(reader.string());
      if (reader.pos >= reader.len || reader.buf[reader.pos] !== this.#tag) break;
      reader.pos += 1;
    }
    const bytes = reader.buf.subarray(from, reader.pos);
    if (names.length >= shortest) this.#remember({ bytes: Buffer.from(bytes), names });
    return names;
  }

  #remember(list: KnownList): void {
    let bytes = 0;
    this.#known = [list, ...this.#known].slice(0, kept).filter((one) => (bytes += one.bytes.length) <= keptBytes);
  }

  /** True if these bytes stand here and no further name behind them. */
  #standsAt({ buf, pos, len }: Reader, bytes: Buffer): boolean {
    const end = pos + bytes.length;
    return end <= len && !(end < len && buf[end] === this.#tag) && bytes.equals(buf.subarray(pos, end));
  }
}
