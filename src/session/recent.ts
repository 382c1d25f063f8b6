/** So many dropped entries may stand at the front before the rest moves up. */
const slack = 1024;

/**
 * Values by ascending number, of which the oldest can be dropped: a queue in which one can look up. Each step costs next to nothing, however
 * much was dropped before; a Map would walk over what was deleted at its front each time.
 */
export class Recent<V> {
  private numbers: number[] = [];
  private values: (V | undefined)[] = [];
  private first = 0;

  get size(): number {
    return this.numbers.length - this.first;
  }

  /** Most come in their order. One that does not (whoever hears of it causes another, which is told first) takes its place. */
  add(number: number, value: V): void {
    let place = this.numbers.length;
    while (place > this.first && (this.numbers[place - 1] as number) > number) place -= 1;
    if (place === this.numbers.length) {
      this.numbers.push(number);
      this.values.push(value);
    } else {
      this.numbers.splice(place, 0, number);
      this.values.splice(place, 0, value);
    }
  }

  get(number: number): V | undefined {
    let from = this.first;
    let to = this.numbers.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.numbers[middle] as number) < number) from = middle + 1;
      else to = middle;
    }
    return this.numbers[from] === number ? this.values[from] : undefined;
  }

  /** Takes the oldest out; undefined if there is none. */
  drop(): V | undefined {
    if (this.size === 0) return undefined;
    const value = this.values[this.first];
    this.values[this.first] = undefined;
    this.first += 1;
    if (this.first > slack && this.first * 2 > this.numbers.length) this.moveUp();
    return value;
  }

  private moveUp(): void {
    this.numbers = this.numbers.slice(this.first);
    this.values = this.values.slice(this.first);
    this.first = 0;
  }
}
