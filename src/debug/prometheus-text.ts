/** Label names and their values. */
export type Labels = Readonly<Record<string, string>>;

/** One metric with all its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** Of a histogram: with the endings of their names. */
  samples(): Iterable<Sample>;
}

export interface Sample {
  /** `_bucket` …; default none. */
  readonly ending?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Metrics in Prometheus' text format 0.0.4; one of which there is no sample is left out. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('');
}

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

function familyText({ name, help, kind, samples }: MetricFamily): string {
  const lines = [...samples()].map(({ ending = '', labels, value }) => `${name}${ending}${labelText(labels)} ${numberText(value)}\n`);
  if (lines.length === 0) return '';
  const helpText = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${helpText}\n# TYPE ${name} ${kind}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
