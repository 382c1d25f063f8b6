/** What arrives one after the other, to be awaited one after the other. */
export class Arrivals<T> {
  readonly all: T[] = [];
  #taken = 0;
  #waiting: (() => void)[] = [];

  push(value: T): void {
    this.all.push(value);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** The next one that was not taken yet, and that `wanted` accepts; those before it are passed over. */
  async next<S extends T>(wanted: (value: T) => value is S): Promise<S>;
  async next(wanted?: (value: T) => boolean): Promise<T>;
  async next(wanted: (value: T) => boolean = () => true): Promise<T> {
    for (;;) {
      while (this.#taken < this.all.length) {
        const value = this.all[this.#taken++] as T;
        if (wanted(value)) return value;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
