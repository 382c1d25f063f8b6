/** How much a line matters. */
export type AgentLogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One line of the agent's log, in pilot-agent's terms. */
export interface AgentLogLine {
  readonly at: Date;
  readonly level: AgentLogLevel;
  /** Which part speaks: `xdsproxy`, `sds`, `cache`, `citadelclient` …; `default` for all else. */
  readonly scope: string;
  readonly text: string;
  /** Written after the text as `key=value`. */
  readonly labels: Readonly<Record<string, string | number>>;
}

/** Says one line. */
export type AgentLog = (level: AgentLogLevel, scope: string, text: string, labels?: AgentLogLine['labels']) => void;

/** A line as pilot-agent prints it (istio pkg/log): tabs between time, level, scope, text and labels; the scope `default` is left out. */
export function agentLogText({ at, level, scope, text, labels }: AgentLogLine): string {
  const time = at.toISOString().replace(/Z$/, '000Z');
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return [time, level, ...(scope === 'default' ? [] : [scope]), text, ...words].join('\t');
}
