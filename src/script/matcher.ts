import { matchesPattern } from '../protocol/node.ts';

/**
 * How one value is compared. In scenario files: a plain value is equality; `">= 2"`, `"< 3"`, `"!= 0"` compare numbers; `/text/` (with
 * flags) is a regular expression; `*` in a string stands for any characters; `absent: true` means not there at all (never the same as zero).
 */
export type ValueMatcher =
  | { readonly kind: 'equals'; readonly value: string | number | boolean }
  | { readonly kind: 'compares'; readonly operator: '>' | '>=' | '<' | '<=' | '!='; readonly value: number }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'expression'; readonly source: string; readonly flags: string }
  | { readonly kind: 'absent' };

const comparison = /^(>=|<=|!=|>|<)\s*(-?\d+(?:\.\d+)?)$/;
const expression = /^\/(.+)\/([dgimsuvy]*)$/s;

/** Reads the scenario-file form of a matcher. Throws a SyntaxError for a regular expression that is none. */
export function valueMatcher(written: string | number | boolean): ValueMatcher {
  if (typeof written !== 'string') return { kind: 'equals', value: written };
  const compared = comparison.exec(written);
  if (compared) return { kind: 'compares', operator: compared[1] as '>', value: Number(compared[2]) };
  const matched = expression.exec(written);
  if (matched) {
    new RegExp(matched[1] as string, matched[2]);
    return { kind: 'expression', source: matched[1] as string, flags: matched[2] as string };
  }
  return written.includes('*') ? { kind: 'pattern', pattern: written } : { kind: 'equals', value: written };
}

/** Envoy scatters blanks through its texts on purpose; runs of white space are one blank before any text is compared. */
export function normalisedText(text: string): string {
  return text
    .replace(/goo\.gle\/\S+\s*/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function compare(operator: '>' | '>=' | '<' | '<=' | '!=', a: number, b: number): boolean {
  const results = { '>': a > b, '>=': a >= b, '<': a < b, '<=': a <= b, '!=': a !== b };
  return results[operator];
}

/** True if `found` is what the matcher demands. A list matches if one of its members does. */
export function matchesValue(matcher: ValueMatcher, found: unknown): boolean {
  if (matcher.kind === 'absent') return found === undefined;
  if (found === undefined || found === null) return false;
  if (Array.isArray(found)) return found.some((member) => matchesValue(matcher, member));
  const text = normalisedText(typeof found === 'string' ? found : JSON.stringify(found));
  switch (matcher.kind) {
    case 'equals':
      return text === normalisedText(String(matcher.value));
    case 'compares':
      return text !== '' && Number.isFinite(Number(text)) && compare(matcher.operator, Number(text), matcher.value);
    case 'pattern':
      return matchesPattern(matcher.pattern, text);
    case 'expression':
      return new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, '')).test(text);
  }
}

/** The matcher in English, to stand after "is": `503`, `at least 2`, `like /unknown cluster/`. */
export function matcherText(matcher: ValueMatcher): string {
  switch (matcher.kind) {
    case 'equals':
      return String(matcher.value);
    case 'compares':
      return `${{ '>': 'more than', '>=': 'at least', '<': 'less than', '<=': 'at most', '!=': 'not' }[matcher.operator]} ${matcher.value}`;
    case 'pattern':
      return `like ${matcher.pattern}`;
    case 'expression':
      return `like /${matcher.source}/${matcher.flags}`;
    case 'absent':
      return 'absent';
  }
}
