import { isIPv4, isIPv6 } from 'node:net';
import { goBool, goInteger } from './go-text.ts';
import type { Origin, Told } from './origin.ts';

/** Addresses of one proxy, by family. */
export type IpFamilies = 'IPv4' | 'IPv6' | 'both';

/** What pilot-agent takes from its environment and command line, ProxyConfig and metadata aside. */
export interface AgentSettings {
  readonly role: Told<string>;
  readonly domain: Told<string>;
  /** `node.id`. */
  readonly nodeId: Told<string>;
  /** All addresses, `INSTANCE_IP` first. */
  readonly ips: Told<readonly string[]>;
  readonly families: IpFamilies;
  readonly deltaXds: Told<boolean>;
  readonly dualStack: Told<boolean>;
  readonly statusPort: Told<number>;
  readonly prometheusPort: Told<number>;
  readonly skipDeprecatedLogs: Told<boolean>;
  readonly exitOnZeroActiveConnections: Told<boolean>;
  readonly workloadSocketFile: Told<string>;
  /** Undefined = as HBONE is. */
  readonly metadataDiscovery: Told<boolean> | undefined;
  readonly logAsJson: boolean;
  readonly outlierLogPath: string;
  readonly stsPort: number;
}

export interface AgentSettingsInput {
  readonly env: ReadonlyMap<string, Told<string>>;
  readonly role: string;
  /** Flags with their values expanded. */
  readonly flags: Readonly<Record<string, string>>;
  /** Where the arguments stand. */
  readonly argsOrigin: Origin;
  /** Addresses of the pod's interfaces. */
  readonly podIps: Told<readonly string[]> | undefined;
}

const agentDefault: Origin = { text: "pilot-agent's default" };

/**
 * @see istio pilot/cmd/pilot-agent/app/cmd.go:initProxy, pilot/cmd/pilot-agent/options/options.go
 */
export function agentSettings(input: AgentSettingsInput): AgentSettings {
  const { env, flags, role, argsOrigin } = input;
  const bool = (name: string, fallback: boolean): Told<boolean> => {
    const told = env.get(name);
    const value = goBool(told?.value);
    return told && value !== undefined ? { value, from: told.from } : { value: fallback, from: [agentDefault] };
  };
  const port = (name: string, fallback: number): Told<number> => {
    const told = env.get(name);
    const value = goInteger(told?.value);
    return told && value !== undefined ? { value, from: told.from } : { value: fallback, from: [agentDefault] };
  };
  const ips = proxyIps(env.get('INSTANCE_IP'), input.podIps);
  const namespace = env.get('POD_NAMESPACE');
  const domain = proxyDomain(flags['domain'], argsOrigin, namespace);
  const name = env.get('POD_NAME');
  const roleTold: Told<string> = { value: role, from: [argsOrigin] };
  return {
    role: roleTold,
    domain,
    ips,
    families: families(ips.value),
    nodeId: {
      value: [role, ips.value[0] ?? '', `${name?.value ?? ''}.${namespace?.value ?? ''}`, domain.value].join('~'),
      from: [argsOrigin, ...ips.from, ...(name?.from ?? []), ...(namespace?.from ?? [])],
    },
    deltaXds: bool('ISTIO_DELTA_XDS', true),
    dualStack: bool('ISTIO_DUAL_STACK', false),
    statusPort: port('ENVOY_STATUS_PORT', 15_021),
    prometheusPort: port('ENVOY_PROMETHEUS_PORT', 15_090),
    skipDeprecatedLogs: bool('ENVOY_SKIP_DEPRECATED_LOGS', true),
    exitOnZeroActiveConnections: bool('EXIT_ON_ZERO_ACTIVE_CONNECTIONS', false),
    workloadSocketFile: env.get('WORKLOAD_IDENTITY_SOCKET_FILE') ?? { value: 'socket', from: [agentDefault] },
    metadataDiscovery: env.has('PEER_METADATA_DISCOVERY') ? bool('PEER_METADATA_DISCOVERY', false) : undefined,
    logAsJson: goBool(flags['log_as_json']) ?? false,
    outlierLogPath: flags['outlierLogPath'] ?? '',
    stsPort: goInteger(flags['stsPort']) ?? 0,
  };
}

function proxyDomain(flag: string | undefined, argsOrigin: Origin, namespace: Told<string> | undefined): Told<string> {
  if (flag !== undefined && flag !== '') return { value: flag, from: [argsOrigin] };
  return { value: `${namespace?.value ?? ''}.svc.cluster.local`, from: [agentDefault, ...(namespace?.from ?? [])] };
}

/** @note What is in INSTANCE_IP and no address is ignored, as pilot-agent does. */
function proxyIps(instance: Told<string> | undefined, podIps: Told<readonly string[]> | undefined): Told<readonly string[]> {
  const own = instance && (isIPv4(instance.value) || isIPv6(instance.value)) ? [instance.value] : [];
  const others = podIps?.value ?? [];
  const value = [...new Set([...own, ...others])];
  if (value.length === 0) return { value: ['127.0.0.1', '::1'], from: [{ text: "pilot-agent's addresses where it finds none" }] };
  return { value, from: [...(own.length > 0 ? (instance?.from ?? []) : []), ...(own.length < value.length ? (podIps?.from ?? []) : [])] };
}

function families(ips: readonly string[]): IpFamilies {
  if (ips.every((ip) => isIPv4(ip))) return 'IPv4';
  return ips.every((ip) => isIPv6(ip)) ? 'IPv6' : 'both';
}
