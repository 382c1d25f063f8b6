/** One `name=value` line as somebody wrote it. */
export interface NameValueLine {
  readonly line: number;
  readonly name: string;
  /** Without blanks around it and without quotes. */
  readonly value: string;
  /** What is not as the lab wants a line to be; undefined if it is. */
  readonly form: string | undefined;
}

/** A text of `name=value` lines, taken apart. Line ends of any system; blanks at the end of a line do not count. */
export interface NameValueText {
  readonly lines: readonly NameValueLine[];
  /** Lines that are something else; empty ones and `#` comments are not told. */
  readonly others: readonly { readonly line: number; readonly text: string }[];
}

/** The lines of a text, without blanks at their ends, each with its number. */
export function textLines(text: string): readonly { readonly line: number; readonly text: string }[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((one, i) => ({ line: i + 1, text: one.trimEnd() }));
}

export function readNameValues(text: string): NameValueText {
  const lines: NameValueLine[] = [];
  const others: { line: number; text: string }[] = [];
  for (const one of textLines(text)) {
    if (one.text.trim() === '' || one.text.trimStart().startsWith('#')) continue;
    const read = readLine(one.line, one.text);
    if (read) lines.push(read);
    else others.push(one);
  }
  return { lines, others };
}

function readLine(line: number, text: string): NameValueLine | undefined {
  const [, before, name, left, right, written] = /^(\s*)([A-Za-z_][\w.-]*)(\s*)=(\s*)(.*)$/.exec(text) ?? [];
  if (name === undefined || written === undefined) return undefined;
  const quoted = /^(["'`])(.*)\1$/.exec(written)?.[2];
  const blanks = [before, left, right].some((part) => part !== '');
  const form = blanks ? 'blanks around the name or the value' : quoted === undefined ? undefined : 'quotes around the value';
  return { line, name, value: quoted ?? written, form };
}
