/**
 * A file of a downward API volume (`metadata.labels`, `metadata.annotations`) as pilot-agent reads it: `key="value"` a line, the value quoted as
 * Go does. A line of another form is passed over.
 */
export function readDownwardFile(text: string): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (const line of text.split('\n')) {
    const split = line.indexOf('=');
    if (split <= 0) continue;
    const value = unquoted(line.slice(split + 1).trim());
    if (value !== undefined) entries.push([line.slice(0, split).trim(), value]);
  }
  return Object.fromEntries(entries);
}

/** Escapes of Go that JSON has not. */
const goOnly: Readonly<Record<string, string>> = { a: '\\u0007', v: '\\u000b', "'": "'" };

function unquoted(text: string): string | undefined {
  const json = text
    .replaceAll(/\\([av'])/g, (_, letter: string) => goOnly[letter] ?? '')
    .replaceAll(/\\x([0-9a-fA-F]{2})/g, (_, digits: string) => `\\u00${digits}`)
    .replaceAll(/\\U([0-9a-fA-F]{8})/g, (_, digits: string) =>
      JSON.stringify(String.fromCodePoint(Number.parseInt(digits, 16))).slice(1, -1),
    );
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
