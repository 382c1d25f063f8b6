/** The command line of pilot-agent, as written in the manifest: `$(VAR)` unexpanded. */
export interface ProxyArgs {
  /** `command` of the container, before `args`; usually empty. */
  readonly command: readonly string[];
  readonly raw: readonly string[];
  /** What follows `proxy`: `sidecar`, `router`, `waypoint`, formerly `ingress`. Pilot-agent's default: `sidecar`. */
  readonly role: string;
  /** Flags by name without dashes, of `--name value`, `--name=value` and bare `--name` (`true`). The last of two wins. */
  readonly flags: Readonly<Record<string, string>>;
}

/** Flags of pilot-agent that stand alone, without a value. */
const switches: readonly string[] = ['help', 'log_as_json'];

/** Reads a command line as pilot-agent's parser does: `--name value`, `--name=value`. Nothing is expanded. */
export function parseProxyArgs(raw: readonly string[], command: readonly string[] = []): ProxyArgs {
  const words = [...command, ...raw];
  const start = words.indexOf('proxy');
  const flags: Record<string, string> = {};
  let role: string | undefined;
  for (let i = start + 1; i < words.length; i += 1) {
    const word = words[i] ?? '';
    const [, name, value] = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === undefined) {
      role ??= start === -1 ? undefined : word;
      continue;
    }
    const next = words[i + 1];
    const takesNext = value === undefined && !switches.includes(name) && next !== undefined && !/^--/.test(next);
    flags[name] = value ?? (takesNext ? next : 'true');
    if (takesNext) i += 1;
  }
  return { command, raw, role: role ?? 'sidecar', flags };
}
