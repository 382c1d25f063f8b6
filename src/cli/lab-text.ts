import type { FileState, LabTold } from '../lab/lab-told.ts';
import type { Palette } from '../runner/colour.ts';

const marks: Readonly<Record<FileState, string>> = { written: '✓', unchanged: '=', kept: '·' };
const words: Readonly<Record<FileState, string>> = { written: '', unchanged: 'the same is there already', kept: 'kept as it is' };

/** One thing that the making of the lab says, with its line end. */
export function toldText(told: LabTold, paint: Palette, width: number): string {
  if (told.kind === 'part') return `\n${paint.strong(told.title)}\n`;
  if (told.kind === 'note')
    return `${wrapped(told.text, width)
      .map((line) => paint.quiet(`  ${line}`))
      .join('\n')}\n`;
  const { name, state, about } = told;
  const mark = state === 'kept' ? paint.script(marks[state]) : paint.good(marks[state]);
  const text = [about, words[state]].filter(Boolean).join('; ');
  return `  ${mark} ${name.padEnd(16)}  ${text}\n`;
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 3 > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
