import type { Palette } from '../runner/colour.ts';
import type { FileGrade, LineGrade, LineStatus } from './grade.ts';
import type { LabGrade } from './grade-lab.ts';

const marks: Readonly<Record<LineStatus, string>> = { right: '✓', wrong: '✗', missing: '✗', unjudged: '?' };

/** A grade for people: each file, each line, a hint where something is not right; no trailing line end. */
export function gradeText(grade: LabGrade, paint: Palette): string {
  const { dir, workload, meshConfig, files } = grade;
  const against = [workload, meshConfig ?? 'no mesh config'].filter((part) => part !== undefined).join(', ');
  return [`${paint.strong(dir)}  (${against})`, ...files.map((file) => fileText(file, paint)), summaryText(grade, paint)].join('\n\n');
}

function fileText({ path, status, lines, problem, hint }: FileGrade, paint: Palette): string {
  const head = paint.strong(path);
  if (problem !== undefined) {
    return [`${painted(status, marks[status], paint)} ${head}  ${problem}`, ...hintLine(hint, 4)].join('\n');
  }
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  return [`${painted(status, marks[status], paint)} ${head}`, ...lines.map((line) => lineText(line, width, paint))].join('\n');
}

function lineText({ name, status, line, found, hint }: LineGrade, width: number, paint: Palette): string {
  const place = line === undefined ? '' : `line ${line}`;
  const what = status === 'right' ? '' : `${status}${found === undefined ? '' : `: ${found}`}`;
  const head =
    `  ${marks[status]} ${name.padEnd(width)}  ${status === 'right' ? '' : `${place.padEnd(place === '' ? 0 : 9)}${what}`}`.trimEnd();
  return [painted(status, head, paint), ...hintLine(hint, 6)].join('\n');
}

function hintLine(hint: string | undefined, indent: number): readonly string[] {
  return hint === undefined ? [] : [`${' '.repeat(indent)}${hint}`];
}

function painted(status: LineStatus, text: string, paint: Palette): string {
  if (status === 'right') return paint.good(text);
  return status === 'unjudged' ? paint.script(text) : paint.bad(text);
}

/** `38 of 41 lines right; 2 wrong, 1 missing`. */
function summaryText({ files, ok }: LabGrade, paint: Palette): string {
  const counts = countOf(files);
  const text = `${counts.right} of ${counts.all} lines are right${rest(counts)}`;
  return ok ? paint.good(`${text}.`) : paint.bad(`${text}.`);
}

function rest(counts: Readonly<Record<LineStatus, number>>): string {
  const parts = (['wrong', 'missing', 'unjudged'] as const).filter((status) => counts[status] > 0);
  return parts.length === 0 ? '' : `; ${parts.map((status) => `${counts[status]} ${status}`).join(', ')}`;
}

/** How many lines there are of each status; a file that cannot be read counts as one. */
export function countOf(files: readonly FileGrade[]): Readonly<Record<LineStatus | 'all', number>> {
  const all = files.flatMap(({ lines, problem, status }) => (problem === undefined ? lines.map((line) => line.status) : [status]));
  const count = (status: LineStatus): number => all.filter((one) => one === status).length;
  return { all: all.length, right: count('right'), wrong: count('wrong'), missing: count('missing'), unjudged: count('unjudged') };
}
