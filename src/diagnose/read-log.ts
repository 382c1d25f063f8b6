import { isJsonObject, normaliseSpace, parseEnvoyLogLine } from '../envoy/index.ts';
import { quoted } from './evidence.ts';
import type { LogFact } from './fact.ts';
import type { InputText } from './reading.ts';
import { placedLines } from './reading.ts';

/** What `kubectl logs --prefix --timestamps` and old agents put before a line. */
const prefixes = [/^\[pod\/[^\]]+\]\s+/, /^\d{4}-\d\d-\d\dT[\d:.]+Z\s+(?=\[\d{4}-|\d{4}-)/, /^\[Envoy \(Epoch \d+\)\]\s+/];

/** `time level [scope] text`, tabs or blanks: Istio's own components. */
const istioLine = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)\s+(debug|info|warn|error|fatal)\s+(.*)$/;

/** `[level] text`: Envoy's lines with the rest cut off, as people quote them. */
const shortLine = /^\[(trace|debug|info|warning|error|critical)\] (.*)$/;

/** What a log also holds and what says nothing of the way to istiod: access logs, scraped metrics, keys that istiod fetches for JWTs. */
const asides: readonly RegExp[] = [
  /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] "/,
  /^\{.*"(response_code|response_flags)":/,
  /failed scraping|error scraping/,
  /[Ff]ailed to (fetch|refresh) (public key|JWKS?|.*jwks)/,
];

interface Line {
  readonly by: LogFact['by'];
  readonly level: string;
  readonly text: string;
}

/** Takes one line apart; undefined if no logger that we know writes so. */
export function logLine(line: string): Line | undefined {
  const bare = prefixes.reduce((text, prefix) => text.replace(prefix, ''), line);
  const envoy = parseEnvoyLogLine(bare) ?? parseEnvoyLogLine(bare.replace(/\] \[[a-z_]+\/[^\]]*\] /, '] '));
  if (envoy) return { by: 'envoy', level: envoy.level, text: envoy.text };
  const short = shortLine.exec(bare);
  if (short) return { by: 'envoy', level: short[1] ?? '', text: normaliseSpace(short[2] ?? '') };
  const istio = istioLine.exec(bare);
  if (istio) return { by: 'istio', level: istio[1] ?? '', text: normaliseSpace(istio[2] ?? '') };
  return bare.startsWith('{') ? jsonLine(bare) : undefined;
}

/** Istio with `--log_as_json`, and Envoy with a JSON log format. */
function jsonLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isJsonObject(value)) return undefined;
    const [level, text, scope] = [value['level'], value['msg'] ?? value['message'], value['scope']];
    if (typeof level !== 'string' || typeof text !== 'string') return undefined;
    return {
      by: typeof scope === 'string' && scope.startsWith('envoy') ? 'envoy' : 'istio',
      level,
      text: normaliseSpace(`${typeof scope === 'string' ? `${scope} ` : ''}${text}`),
    };
  } catch {
    return undefined;
  }
}

/** A log, or several in one. A line that is in no format goes on the line before it, or is the last words of an Envoy that exits. */
export function readLog(input: InputText): readonly LogFact[] {
  const facts: LogFact[] = [];
  let isEnding = false;
  for (const { at, line } of placedLines(input)) {
    if (line.trim() === '' || asides.some((aside) => aside.test(line))) continue;
    const found = logLine(line);
    // What an Envoy says that was told to end says nothing of why it was not ready.
    if (found)
      isEnding =
        /caught ENVOY_SIG(TERM|INT)/.test(found.text) || (isEnding && found.by === 'envoy' && !/initializing epoch/.test(found.text));
    if (isEnding) continue;
    const last = facts.at(-1);
    if (found) facts.push({ fact: 'log', ...quoted(at, found.text), ...found });
    else if (last && /^\s|^'/.test(line)) facts[facts.length - 1] = joined(last, line);
    else facts.push({ fact: 'log', ...quoted(at, normaliseSpace(line)), by: 'unknown', level: 'unknown', text: normaliseSpace(line) });
  }
  return facts;
}

/** @note Envoy breaks its own lines within a message where protobuf put a marker. */
function joined(last: LogFact, line: string): LogFact {
  const text = normaliseSpace(`${last.text} ${line}`).slice(0, 2_000);
  return { ...last, ...quoted(last.at, text), text };
}

/** Whether a text has lines of a log that we know, in its first so many lines. */
export function looksLikeLog(text: string): boolean {
  return text.split('\n', 200).some((line) => logLine(line.replace(/\r$/, '')) !== undefined);
}
