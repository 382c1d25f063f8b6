import type { JsonObject } from '../envoy/json.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { ReleaseFeatures } from './release-line.ts';

export interface EnvoyCommandInput {
  readonly settings: AgentSettings;
  readonly proxyConfig: JsonObject;
  readonly features: ReleaseFeatures;
  /** Flags of pilot-agent. */
  readonly flags: Readonly<Record<string, string>>;
}

/** The arguments with which pilot-agent starts Envoy. @see istio pkg/envoy/proxy.go:args */
export function envoyCommand({ settings, proxyConfig, features, flags }: EnvoyCommandInput): string[] {
  const folder = String(proxyConfig['configPath'] ?? '').replace(/^(\.\/)+/, '');
  const seconds = Math.floor(Number.parseFloat(String(proxyConfig['drainDuration'] ?? '0')));
  const flush = features.fileFlush ? proxyConfig['fileFlushInterval'] : undefined;
  const minimum = features.fileFlush ? Number(proxyConfig['fileFlushMinSizeKb'] ?? 0) : 0;
  const concurrency = Number(proxyConfig['concurrency'] ?? 0);
  return [
    ...['-c', `${folder}/envoy-rev.json`],
    ...['--drain-time-s', String(seconds), '--drain-strategy', 'immediate'],
    ...['--local-address-ip-version', settings.families === 'IPv6' ? 'v6' : 'v4'],
    ...['--file-flush-interval-msec', flush === undefined ? '1000' : String(Math.round(Number.parseFloat(String(flush)) * 1000))],
    '--disable-hot-restart',
    '--allow-unknown-static-fields',
    ...(minimum > 0 ? ['--file-flush-min-size-kb', String(minimum)] : []),
    ...logArguments(flags),
    ...(settings.skipDeprecatedLogs.value ? ['--skip-deprecated-logs'] : []),
    ...(concurrency > 0 ? ['--concurrency', String(concurrency)] : []),
  ];
}

/** `--proxyLogLevel` may hold components too; then `--proxyComponentLogLevel` does not count. */
function logArguments(flags: Readonly<Record<string, string>>): string[] {
  const levels = (flags['proxyLogLevel'] ?? 'warning').split(',');
  const level = levels.filter((each) => !each.includes(':')).at(-1) ?? '';
  const components = levels.filter((each) => each.split(':').length === 2).join(',') || (flags['proxyComponentLogLevel'] ?? '');
  return [...(level === '' ? [] : ['-l', level]), ...(components === '' ? [] : ['--component-log-level', components])];
}
