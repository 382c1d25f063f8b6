/** Texts as Go's standard library reads and writes them; pilot-agent takes its environment that way. */

/** @see https://pkg.go.dev/strconv#ParseBool */
export function goBool(text: string | undefined): boolean | undefined {
  if (text !== undefined && ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (text !== undefined && ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return undefined;
}

/** @see https://pkg.go.dev/strconv#Atoi */
export function goInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

const nanosOfUnit: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };

/** A duration as `1h2m3.5s`, in ns; undefined if it is none. @see https://pkg.go.dev/time#ParseDuration */
export function goDurationNanos(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/.test(text)) return undefined;
  let nanos = 0;
  for (const [, number = '0', unit = 's'] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
    nanos += Number(number) * (nanosOfUnit[unit] ?? 0);
  }
  return Math.round(text.startsWith('-') ? -nanos : nanos);
}

/** ns as Go writes a duration: `10s`, `1m0s`, `1.5s`, `250ms`. @see https://pkg.go.dev/time#Duration.String */
export function goDurationText(nanos: number): string {
  if (nanos === 0) return '0s';
  const sign = nanos < 0 ? '-' : '';
  const all = Math.abs(nanos);
  if (all < 1e3) return `${sign}${all}ns`;
  if (all < 1e6) return `${sign}${all / 1e3}µs`;
  if (all < 1e9) return `${sign}${all / 1e6}ms`;
  const hours = Math.floor(all / 3600e9);
  const minutes = Math.floor((all % 3600e9) / 60e9);
  const seconds = (all % 60e9) / 1e9;
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

/** Host and port of `host:port` or `[v6]:port`. @see https://pkg.go.dev/net#SplitHostPort */
export function splitHostPort(address: string): { readonly host: string; readonly port: string } | undefined {
  const [, bracketed, bare, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:]*)$/.exec(address) ?? [];
  return port === undefined ? undefined : { host: bracketed ?? bare ?? '', port };
}
