/**
 * Our arguments and the user's. One worker and no hot restart: several Envoys at once are then no trouble. `config` at debug logs
 * every end of an xDS stream, which Envoy otherwise keeps to itself for a while; NACKs are warnings. What the user gives is not
 * given twice.
 * @note never `--log-format`: with Istio's own bootstraps, which have `application_log_config`, Envoy refuses to start.
 */
export function envoyArguments(args: readonly string[]): readonly string[] {
  const names = new Set(args.map((arg) => arg.split('=')[0] ?? arg));
  const hasLevel = ['-l', '--log-level', '--component-log-level'].some((name) => names.has(name));
  return [
    ...(names.has('--disable-hot-restart') ? [] : ['--disable-hot-restart']),
    ...(names.has('--concurrency') ? [] : ['--concurrency', '1']),
    ...(hasLevel ? [] : ['-l', 'warning', '--component-log-level', 'config:debug,upstream:info']),
    ...args,
  ];
}
