import { nearestName } from '../protobuf/nearest-name.ts';
import { missing, right, unjudged, wrong, type LineGrade } from './grade.ts';
import { readNameValues, type NameValueLine, type NameValueText } from './name-value.ts';

/** What a `name=value` line should say. */
export interface WantedLine {
  readonly name: string;
  /** The value, or all that would be right; a text tells why it cannot be judged. */
  readonly values: readonly string[] | { readonly unknown: string };
  /** What to look at, given what stands there (undefined: there is no such line). */
  readonly hint: (found: string | undefined) => string;
}

/** Judges a text of `name=value` lines. `strict`: whatever else stands in it is wrong, too. */
export function gradeValues(text: string, wanted: readonly WantedLine[], strict = true): readonly LineGrade[] {
  const read = readNameValues(text);
  const judged = wanted.map((one) => judge(one, read, wanted));
  return strict ? [...judged, ...extras(read, wanted)] : judged;
}

function judge(one: WantedLine, { lines, others }: NameValueText, wanted: readonly WantedLine[]): LineGrade {
  const { name } = one;
  const [found, second] = lines.filter((line) => line.name === name);
  if (!found) return missing(name, `${strayHint(name, { lines, others }, wanted)}${one.hint(undefined)}`);
  const { line, value } = found;
  if (second) return wrong(name, `It stands here twice (lines ${line} and ${second.line}). Which of the two do you mean?`, { line });
  if ('unknown' in one.values) return unjudged(name, one.values.unknown, line);
  if (!one.values.includes(value)) return wrong(name, wrongHint(one, value, wanted), { line, found: value });
  if (found.form === undefined) return right(name, line);
  return wrong(name, `The value is right, but there are ${found.form}. Write name=value and nothing else.`, { line, found: value });
}

/** A line that may be meant: another spelling of the name, or the name without `=`. */
function strayHint(name: string, read: NameValueText, wanted: readonly WantedLine[]): string {
  const stranger = meantBy(name, read, wanted);
  if (stranger) return `Is line ${stranger.line}, ${stranger.name}, meant? The name counts to the letter. `;
  const other = read.others.find(({ text }) => text.toLowerCase().includes(name.toLowerCase()));
  return other ? `Line ${other.line} names it and is no name=value line. ` : '';
}

function meantBy(name: string, { lines }: NameValueText, wanted: readonly WantedLine[]): NameValueLine | undefined {
  const strangers = lines.filter((line) => wanted.every((one) => one.name !== line.name));
  const near = nearestName(
    name,
    strangers.map((line) => line.name),
  );
  return strangers.find((line) => line.name === near);
}

function wrongHint(one: WantedLine, value: string, wanted: readonly WantedLine[]): string {
  if (value === '') return `There is no value. ${one.hint(value)}`;
  const values = 'unknown' in one.values ? [] : one.values;
  if (values.some((each) => each.toLowerCase() === value.toLowerCase())) return 'Capital and small letters count.';
  const owner = wanted.find((each) => each !== one && !('unknown' in each.values) && each.values.includes(value));
  if (owner && isTelling(value)) return `That is what belongs to ${owner.name}. ${one.hint(value)}`;
  return one.hint(value);
}

/** Short values and such that stand in many places tell nothing of where they were taken from. */
function isTelling(value: string): boolean {
  return value.length > 3;
}

function extras(read: NameValueText, wanted: readonly WantedLine[]): readonly LineGrade[] {
  const { lines, others } = read;
  const lacking = wanted.filter(({ name }) => lines.every((line) => line.name !== name));
  const meant = new Set(lacking.map(({ name }) => meantBy(name, read, wanted)));
  const known = new Set(wanted.map(({ name }) => name));
  const names = `Asked for are ${[...known].join(', ')}.`;
  const strangers = lines.filter((line) => !known.has(line.name) && !meant.has(line)).map((line) => stranger(line, names));
  const broken = others.map(({ line, text }) =>
    wrong('(no name=value)', 'Every line is name=value, without blanks and quotes.', { line, found: text }),
  );
  return [...strangers, ...limited(broken)];
}

function stranger({ line, name, value }: NameValueLine, names: string): LineGrade {
  return wrong(name, `Nobody asks for this. ${names}`, { line, found: value });
}

/** Whoever puts a whole manifest there need not read it again. */
function limited(grades: readonly LineGrade[]): readonly LineGrade[] {
  const limit = 3;
  if (grades.length <= limit) return grades;
  return [...grades.slice(0, limit), wrong('(no name=value)', `And ${grades.length - limit} more such lines.`)];
}
