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
