import type { DocumentPath } from './document-path.ts';

/** Something that a message type does not allow, at a path of the value that was walked. */
export interface JsonProblem {
  readonly path: DocumentPath;
  /** Whether the key at `path` is wrong, or its value. */
  readonly of: 'key' | 'value';
  /** A sentence without a full stop: what was found, what was expected. */
  readonly what: string;
  /** What to do. */
  readonly remedy?: string | undefined;
}

/** Deeper than protobuf's own limit of 100 messages; only to end before the stack does. */
const maxWalkDepth = 400;

/** Where a walk over a JSON value is, and what it found. The only mutable thing in it. */
export class JsonWalk {
  readonly problems: JsonProblem[] = [];
  /** What the message allows and nobody may have meant. */
  readonly warnings: JsonProblem[] = [];
  readonly #path: (string | number)[];
  #tooDeep = false;

  constructor(path: DocumentPath = []) {
    this.#path = [...path];
  }

  /** Runs `step` one level down, at `key`. Gives undefined once the value has proved too deep, as one that holds itself is. */
  at<T>(key: string | number, step: () => T): T | undefined {
    if (this.#tooDeep) return undefined;
    if (this.#path.length >= maxWalkDepth) {
      this.#tooDeep = true;
      return this.report('is nested too deep for a protobuf message', 'Does it hold itself?');
    }
    this.#path.push(key);
    try {
      return step();
    } finally {
      this.#path.pop();
    }
  }

  /** Notes a problem here; gives undefined, to be returned in place of a value. */
  report(what: string, remedy?: string, of: 'key' | 'value' = 'value'): undefined {
    this.problems.push({ path: [...this.#path], of, what, remedy });
    return undefined;
  }

  /** Notes something strange here that can be encoded all the same. */
  warn(what: string, remedy?: string): void {
    this.warnings.push({ path: [...this.#path], of: 'value', what, remedy });
  }
}

/** A value as a message shows it: short, quoted, with its type where the text would mislead. */
export function shown(value: unknown): string {
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value !== 'string') return `${typeof value === 'boolean' ? 'the boolean' : 'the number'} ${String(value)}`;
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}
