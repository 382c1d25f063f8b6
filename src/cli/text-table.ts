/** Rows in columns, each as wide as its widest cell; the last one runs free. No blanks at the end of a line. */
export function textTable(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ');
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}
