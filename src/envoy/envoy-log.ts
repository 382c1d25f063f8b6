/** A line of Envoy's log, taken apart. */
export interface EnvoyLogLine {
  readonly level: 'trace' | 'debug' | 'info' | 'warning' | 'error' | 'critical';
  /** Envoy's logger, e.g. `config`, `main`, `upstream`. */
  readonly logger: string;
  /** The message, white space normalised, without the source position. */
  readonly text: string;
}

/** `[time][thread][level][logger] [source:line] text`: Envoy's default log format (`Logger::DEFAULT_LOG_FORMAT`). */
const linePattern = /^\[[^\]]*\]\[\d+\]\[(trace|debug|info|warning|error|critical)\]\[([^\]]*)\] (?:\[[^\]]*:\d+\] )?(.*)$/;

/** `time level envoy logger source:line text thread=n`, with tabs: what Istio's bootstraps set by `application_log_config`. */
const istioLinePattern = /^\S+Z\s+(trace|debug|info|warning|error|critical)\s+envoy (\S+)\s+\S+:\d+\s+(.*?)(?:\s+thread=\d+)?\s*$/;

/** Takes a line apart; `undefined` for anything that is in neither Envoy's nor Istio's format (a continuation, say). */
export function parseEnvoyLogLine(line: string): EnvoyLogLine | undefined {
  const match = linePattern.exec(line) ?? istioLinePattern.exec(line);
  if (!match) return undefined;
  const [, level, logger = '', text = ''] = match;
  return { level: level as EnvoyLogLine['level'], logger, text: normaliseSpace(text) };
}

/**
 * White space made single, markers taken out.
 * @note protobuf puts random extra blanks and a `goo.gle/debug…` marker into its error texts on purpose, so two equal errors differ.
 */
export function normaliseSpace(text: string): string {
  return text
    .replace(/\bgoo\.gle\/debug\w+\b/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Why Envoy ended, from its log: the error that it prints last, and what its critical and error lines add to that.
 * White space is normalised; at most `limit` sentences, the most telling last.
 */
export function reasonsToExit(log: readonly string[], limit = 3): readonly string[] {
  const parsed = log.map(parseEnvoyLogLine);
  // A backtrace is logged as critical too, frame by frame.
  const isGrave = (line: EnvoyLogLine): boolean => (line.level === 'critical' || line.level === 'error') && !/^#\d+ /.test(line.text);
  const grave = parsed.flatMap((line) => (line && isGrave(line) ? [line.text] : []));
  const lastLine = log.at(-1);
  // Envoy ends with the bare exception text on stderr, outside its log format.
  const bare = lastLine !== undefined && parsed.at(-1) === undefined ? [normaliseSpace(lastLine)] : [];
  const added = grave.filter((text) => !bare.some((said) => text.includes(said)));
  const reasons = [...new Set([...added, ...bare])];
  if (reasons.length > 0) return reasons.slice(-limit);
  return parsed.flatMap((line) => line?.text ?? []).slice(-limit);
}

/** Keeps the newest lines of a log and tells each one. */
export class LineRing {
  readonly lines: string[] = [];
  private pending = '';
  private readonly capacity: number;
  private readonly onLine: ((line: string) => void) | undefined;

  constructor(capacity: number, onLine?: (line: string) => void) {
    this.capacity = capacity;
    this.onLine = onLine;
  }

  /** Takes a piece of the stream; lines may be cut anywhere. */
  write(piece: string): void {
    const parts = (this.pending + piece).split('\n');
    this.pending = parts.pop() ?? '';
    for (const line of parts) this.keep(line);
  }

  /** The stream has ended: what is left is a line. */
  end(): void {
    const rest = this.pending;
    this.pending = '';
    this.keep(rest);
  }

  private keep(line: string): void {
    const text = line.trimEnd();
    if (text === '') return;
    this.lines.push(text);
    if (this.lines.length > this.capacity) this.lines.splice(0, this.lines.length - this.capacity);
    this.onLine?.(text);
  }
}
