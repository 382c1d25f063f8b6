import type { Labels, MetricFamily, Sample } from './prometheus-text.ts';

/** A number for each set of labels, which only grows. */
export class Counter implements MetricFamily {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  private readonly values = new Map<string, { readonly labels: Labels; value: number }>();

  /** @param kind istiod has some counts as gauges */
  constructor(name: string, help: string, kind: 'counter' | 'gauge' = 'counter') {
    this.name = name;
    this.help = help;
    this.kind = kind;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.values.get(key);
    if (known) known.value += by;
    else this.values.set(key, { labels, value: by });
  }

  readonly samples = (): Iterable<Sample> => this.values.values();
}

/** What is the case at the moment of looking. */
export class Gauge implements MetricFamily {
  readonly kind = 'gauge';
  readonly name: string;
  readonly help: string;
  readonly samples: () => Iterable<Sample>;

  constructor(name: string, help: string, look: () => Iterable<Sample> | number | undefined) {
    this.name = name;
    this.help = help;
    this.samples = () => {
      const seen = look() ?? [];
      return typeof seen === 'number' ? [{ labels: {}, value: seen }] : seen;
    };
  }
}

interface Series {
  readonly labels: Labels;
  /** How many were at most the bound of the same place; the last one has none. */
  readonly counts: number[];
  sum: number;
}

/** How values are spread, for each set of labels. */
export class Histogram implements MetricFamily {
  readonly kind = 'histogram';
  readonly name: string;
  readonly help: string;
  private readonly bounds: readonly number[];
  private readonly series = new Map<string, Series>();

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.bounds = [...bounds, Infinity];
  }

  record(value: number, labels: Labels = {}): void {
    const key = JSON.stringify(labels);
    const known = this.series.get(key) ?? { labels, counts: this.bounds.map(() => 0), sum: 0 };
    this.series.set(key, known);
    this.bounds.forEach((bound, i) => {
      if (value <= bound) known.counts[i] = (known.counts[i] ?? 0) + 1;
    });
    known.sum += value;
  }

  readonly samples = (): Iterable<Sample> =>
    [...this.series.values()].flatMap(({ labels, counts, sum }) => [
      ...this.bounds.map((bound, i) => ({
        ending: '_bucket',
        labels: { ...labels, le: bound === Infinity ? '+Inf' : String(bound) },
        value: counts[i] ?? 0,
      })),
      { ending: '_sum', labels, value: sum },
      { ending: '_count', labels, value: counts.at(-1) ?? 0 },
    ]);
}
