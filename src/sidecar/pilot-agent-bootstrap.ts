import type { Bootstrap } from '../envoy/bootstrap.ts';
import type { JsonObject } from '../envoy/json.ts';
import { FakeIstiodError, type Problem } from '../errors.ts';
import { agentSettings, type AgentSettings } from './agent-settings.ts';
import { fillTemplate, speaksDelta, type TemplateInput } from './bootstrap-template.ts';
import type { ContainerStart } from './container-env.ts';
import { envoyCommand } from './envoy-command.ts';
import { goBool } from './go-text.ts';
import { nodeCluster } from './node-cluster.ts';
import { nodeMetadata, type NodeMetadata } from './node-metadata.ts';
import { Origins, type Origin, type Told } from './origin.ts';
import type { PodFacts } from './pod-facts.ts';
import { proxyConfigProblems } from './proxy-config-check.ts';
import { proxyConfigJson } from './proxy-config-json.ts';
import type { MergedProxyConfig } from './proxy-config.ts';
import { releaseFeatures, type Release } from './release-line.ts';
import { noteTemplateOrigins } from './template-origins.ts';
import { expandVariables } from './variable-expansion.ts';
import { notPilotAgent } from './workload-findings.ts';
import type { InjectedWorkload } from './workload.ts';

export interface PilotAgentBootstrapInput {
  readonly workload: InjectedWorkload;
  readonly pod: PodFacts;
  readonly start: ContainerStart;
  readonly proxyConfig: MergedProxyConfig;
  readonly release: Told<Release>;
  /** Sockets of others that are there when pilot-agent starts. */
  readonly sockets?: { readonly workload: boolean; readonly credential: boolean };
}

export interface PilotAgentBootstrap {
  readonly bootstrap: Bootstrap;
  readonly origins: Origins;
  readonly settings: AgentSettings;
  readonly nodeCluster: string;
  readonly metadata: JsonObject;
  readonly envoyArgs: readonly string[];
  readonly notes: readonly Problem[];
}

/**
 * The bootstrap that pilot-agent of a release writes in this pod.
 *
 * @throws FakeIstiodError `bootstrap.invalid` where pilot-agent exits before it writes one, or runs no Envoy.
 */
export function pilotAgentBootstrap(input: PilotAgentBootstrapInput): PilotAgentBootstrap {
  const { workload, start, release, pod } = input;
  const features = releaseFeatures(release.value.line);
  const flags = expandedFlags(workload, start);
  const argsOrigin: Origin = { text: 'argument of pilot-agent', at: workload.positionOf([...workload.proxy.path, 'args']) };
  refuse(startProblems(input, features.roles, flags, argsOrigin));
  const settings = agentSettings({ env: start.env, role: workload.proxy.args.role, flags, argsOrigin, podIps: pod.ips });
  const proxyConfig = proxyConfigJson(input.proxyConfig.value);
  const originOf = (field: string): readonly Origin[] => proxyConfigOrigins(input.proxyConfig, field);
  refuse(proxyConfigProblems(proxyConfig, originOf));

  const origins = new Origins();
  const meta = { text: 'metadata of the pod (downward API volume)', at: workload.positionOf([...workload.pod.path, 'metadata']) };
  const sockets = input.sockets ?? { workload: false, credential: false };
  const told = nodeMetadata(
    {
      env: start.env,
      settings,
      features,
      release,
      proxyConfig,
      proxyConfigOrigin: originOf,
      labels: { value: workload.pod.labels, from: [meta] },
      annotations: { value: workload.pod.annotations, from: [meta] },
      sockets,
    },
    origins,
  );
  refuse(told.problems.filter(({ what }) => what.includes('pilot-agent exits')));
  const cluster = nodeCluster({ proxyConfig, metadata: told.metadata, labels: told.labels, features });
  const template = templateInput(input, { settings, proxyConfig, told, cluster: cluster.value, customSds: sockets.workload });
  noteTemplateOrigins(origins, { settings, cluster: cluster.from, release: release.value, originOf, template });
  return {
    bootstrap: fillTemplate(template),
    origins,
    settings,
    nodeCluster: cluster.value,
    metadata: told.metadata,
    envoyArgs: envoyCommand({ settings, proxyConfig, features, flags }),
    notes: [...start.notes, ...told.problems, ...podNotes(input, proxyConfig)],
  };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw FakeIstiodError.of('bootstrap.invalid', problems);
}

function expandedFlags({ proxy }: InjectedWorkload, { env }: ContainerStart): Record<string, string> {
  const expand = (text: string): string => expandVariables(text, (name) => env.get(name)?.value).text;
  return Object.fromEntries(Object.entries(proxy.args.flags).map(([name, value]) => [name, expand(value)]));
}

const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'none'];

function startProblems(
  { workload, start, release }: PilotAgentBootstrapInput,
  roles: readonly string[],
  flags: Readonly<Record<string, string>>,
  { at }: Origin,
): Problem[] {
  const place = at ? { at } : {};
  const { role } = workload.proxy.args;
  const problems: Problem[] = [];
  if (workload.flavour === 'proxyless-grpc' || goBool(start.env.get('DISABLE_ENVOY')?.value)) {
    problems.push({
      ...place,
      what: `${workload.kind} ${workload.name} runs no Envoy: its pilot-agent writes a bootstrap of gRPC's own xDS client`,
      remedy: 'Give a workload with a sidecar, a gateway or a waypoint',
    });
  }
  if (problems.length === 0) problems.push(...notPilotAgent(workload));
  if (!roles.includes(role)) {
    problems.push({
      ...place,
      what: `pilot-agent of ${release.value.line} does not know the role "${role}" and exits`,
      remedy: `It knows ${roles.join(', ')}`,
    });
  }
  const wrong = (flags['log_output_level'] ?? 'default:info').split(',').find((part) => !logLevels.includes(part.split(':').at(-1) ?? ''));
  if (wrong !== undefined) {
    problems.push({
      ...place,
      what: `--log_output_level has "${wrong}", and pilot-agent exits: invalid output level`,
      remedy: `Write scope:level with a level of ${logLevels.join(', ')}`,
    });
  }
  return problems;
}

const sourceTexts = {
  default: "Istio's default",
  'mesh-config': 'mesh config',
  PROXY_CONFIG: 'env PROXY_CONFIG',
  annotation: 'annotation of the pod',
  argument: 'argument of pilot-agent',
  ISTIO_CPU_LIMIT: 'env ISTIO_CPU_LIMIT',
} as const;

function proxyConfigOrigins({ origins }: MergedProxyConfig, field: string): readonly Origin[] {
  const origin = origins[field] ?? origins[field.split('.')[0] ?? ''];
  if (!origin) return [];
  return [{ text: `${field} of ${sourceTexts[origin.source]}`, ...(origin.at ? { at: origin.at } : {}) }];
}

interface Derived {
  readonly settings: AgentSettings;
  readonly proxyConfig: JsonObject;
  readonly told: NodeMetadata;
  readonly cluster: string;
  readonly customSds: boolean;
}

function templateInput({ workload, start, release }: PilotAgentBootstrapInput, derived: Derived): TemplateInput {
  const { settings, proxyConfig, told } = derived;
  const v6First = settings.families === 'IPv6' || (settings.families === 'both' && (settings.ips.value[0] ?? '').includes(':'));
  const dualStack = settings.families === 'both' && settings.dualStack.value;
  // Without dual stack a mixed pod is treated as one with IPv4.
  const six = dualStack ? v6First : settings.families === 'IPv6';
  const loopback = ['127.0.0.1', '::1'];
  const any = ['0.0.0.0', '::'];
  const [own, other] = six ? [1, 0] : [0, 1];
  return {
    features: releaseFeatures(release.value.line),
    settings,
    proxyConfig,
    nodeCluster: derived.cluster,
    locality: told.locality,
    metadata: told.metadata,
    annotations: workload.pod.annotations,
    env: (name) => goBool(start.env.get(name)?.value),
    compliancePolicy: start.env.get('COMPLIANCE_POLICY')?.value ?? '',
    hostIp: start.env.get('HOST_IP')?.value,
    localhost: loopback[own] ?? '',
    wildcard: any[own] ?? '',
    dualStack,
    otherLocalhost: loopback[other] ?? '',
    otherWildcard: any[other] ?? '',
    dnsLookupFamily: dualStack ? 'ALL' : six ? 'V6_ONLY' : 'V4_ONLY',
    discoversMetadata: speaksDelta(settings) && (settings.role.value === 'waypoint' || told.metadata['METADATA_DISCOVERY'] === 'true'),
    customSdsPath: derived.customSds ? './var/run/secrets/credential-uds/files-socket' : undefined,
  };
}

/** What the reader has to know of a bootstrap that was not made in the pod. */
function podNotes({ workload, start, release, sockets }: PilotAgentBootstrapInput, proxyConfig: JsonObject): Problem[] {
  const at = workload.positionOf(workload.proxy.path);
  const notes: Problem[] = [];
  if (!release.value.exact) {
    notes.push({
      what: `the bootstrap of Istio ${release.value.version} is not known here; this is the one of ${release.value.line}, the nearest`,
    });
  }
  if (!workload.proxy.mounts.some(({ mountPath }) => mountPath.replace(/\/$/, '') === '/etc/istio/pod')) {
    notes.push({
      at,
      what: 'no volume shows the pod its labels and annotations (/etc/istio/pod): LABELS and ANNOTATIONS would be missing in the real pod',
    });
  }
  if (workload.identity.workloadSocket && /csi|host/i.test(workload.identity.workloadSocket.source) && !sockets?.workload) {
    const { volume } = workload.identity.workloadSocket;
    notes.push({
      at,
      what: `the volume ${volume} may bring a workload socket of somebody else (SPIRE); then there is a cluster sds-files-grpc, too`,
      remedy: 'Say --existing-socket workload if it is there when pilot-agent starts',
    });
  }
  const template = start.env.get('ISTIO_BOOTSTRAP')?.value || proxyConfig['customConfigFile'] || proxyConfig['proxyBootstrapTemplatePath'];
  if (template)
    notes.push({ at, what: `the pod uses a template of its own, ${String(template)}, which is not read; this is what Istio's own gives` });
  if (proxyConfig['statsdUdpAddress']) {
    notes.push({
      what: `pilot-agent puts the resolved address for statsdUdpAddress ${String(proxyConfig['statsdUdpAddress'])}, or none if that fails`,
    });
  }
  return notes;
}
