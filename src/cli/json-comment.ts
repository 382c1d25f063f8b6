/** Where the first comment of a JSON text begins, outside strings: `//`, `/*` or `#` (or only those of `kinds`). Lines and columns count from 1. */
export function jsonCommentOf(text: string, kinds = '/#'): { readonly line: number; readonly column: number } | undefined {
  let line = 1;
  let lineStart = 0;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '\n') [line, lineStart] = [line + 1, i + 1];
    else if (quote !== undefined) {
      if (char === '\\') i += 1;
      else if (char === quote) quote = undefined;
    } else if (char === '"' || char === "'") quote = char;
    else if (kinds.includes(char)) return { line, column: i - lineStart + 1 };
  }
  return undefined;
}
