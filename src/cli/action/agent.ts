import { networkInterfaces } from 'node:os';
import {
  agentLogText,
  startAgent,
  waitUntilReady,
  type Agent,
  type AgentEnvoy,
  type AgentLogLine,
  type AgentOptions,
} from '../../agent/index.ts';
import { readDownwardFile } from '../../agent/downward-api.ts';
import { podBootstrap, withAbsoluteSockets, type PodBootstrapOptions } from '../../agent/pod-bootstrap.ts';
import { podFile, PodFiles } from '../../agent/pod-files.ts';
import { podProxyConfig } from '../../agent/pod-proxy-config.ts';
import { ExitCode, FakeIstiodError } from '../../errors.ts';
import { goBool } from '../../sidecar/go-text.ts';
import type { MergedProxyConfig } from '../../sidecar/proxy-config.ts';
import { readRelease } from '../../sidecar/release-line.ts';
import { agentOptionsOf } from '../agent-environment.ts';
import { writeBootstrapFile } from '../bootstrap-file.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { yamlText } from '../yaml-text.ts';

export interface AgentCommandOptions {
  readonly root: string;
  readonly meshConfig?: string;
  readonly discoveryAddress?: string;
  readonly domain?: string;
  readonly istioVersion: string;
  readonly shape: 'pilot-agent' | 'lab';
  readonly bootstrap?: string;
  /** `--no-envoy` is false. */
  readonly envoy?: string | false;
  readonly envoyAdmin?: string;
  readonly bootstrapOut?: string;
  readonly envoyArg?: readonly string[];
  readonly concurrency?: number;
  readonly bind: string;
  readonly statusPort?: number;
  readonly readyPort?: number;
  readonly prometheusPort?: number;
  readonly adminPort?: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export interface WaitCommandOptions {
  readonly url: string;
  readonly timeout: number;
  readonly requestTimeout: number;
  readonly period: number;
}

const levels = ['debug', 'info', 'warn', 'error'] as const;

/** `agent`: until its Envoy ends, or until Ctrl-C or SIGTERM. Exits as Envoy did. */
export async function agent(terminal: Terminal, role: string, options: AgentCommandOptions): Promise<number> {
  const { stderr, env, clock } = terminal;
  const least = levels.indexOf(options.logLevel);
  const onLog = (line: AgentLogLine): void => {
    if (levels.indexOf(line.level) >= least) writeLine(stderr, agentLogText(line));
  };
  const pod = await podOf(terminal, role, options);
  const say = (text: string): void => onLog({ at: clock.date(), level: 'info', scope: 'default', text, labels: {} });
  say(`Proxy role: ${role}, ${env['POD_NAME'] ?? ''}.${env['POD_NAMESPACE'] ?? ''}`);
  say(`Effective config: ${yamlText(pod.bootstrap.proxyConfig.value)}`.trimEnd());
  let running: Agent | undefined;
  let interrupted = false;
  const stopListening = terminal.onInterrupt(() => {
    interrupted = true;
    void running?.terminate();
  });
  try {
    running = await startAgent({ ...pod.options, onLog, onEnvoyLog: (line) => writeLine(stderr, line), clock });
    if (interrupted) void running.terminate();
    await writeOut(running, pod.bootstrap, options, terminal);
    const end = await running.ended;
    return end.by === 'envoy' ? end.code : ExitCode.ok;
  } finally {
    stopListening();
    await running?.stop();
  }
}

/** `agent wait`. */
export async function wait({ stderr, clock }: Terminal, { url, timeout, requestTimeout, period }: WaitCommandOptions): Promise<ExitCode> {
  writeLine(stderr, `Waiting for Envoy proxy to be ready (timeout: ${timeout / 1000} seconds)...`);
  await waitUntilReady({ url, timeoutMs: timeout, requestTimeoutMs: requestTimeout, periodMs: period, clock });
  writeLine(stderr, 'Envoy is ready!');
  return ExitCode.ok;
}

interface Pod {
  readonly options: AgentOptions;
  readonly bootstrap: PodBootstrapOptions;
}

/** The pod's files and environment as options. */
async function podOf({ env }: Terminal, role: string, options: AgentCommandOptions): Promise<Pod> {
  const files = new PodFiles(options.root);
  const [labels, annotations] = await Promise.all([downward(files, podFile.labels), downward(files, podFile.annotations)]);
  const proxyConfig = overridden(
    podProxyConfig({
      meshConfigFile: options.meshConfig ?? ((await files.exists(podFile.meshConfig)) ? files.path(podFile.meshConfig) : undefined),
      env: env['PROXY_CONFIG'] || undefined,
      annotations,
      concurrency: options.concurrency,
    }),
    options,
  );
  const bootstrap: PodBootstrapOptions = {
    env: new Map(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    role,
    flags: options.domain === undefined ? {} : { domain: options.domain },
    labels,
    annotations,
    proxyConfig,
    release: releaseOf(options.istioVersion),
    ips: interfaceAddresses(),
    shape: options.shape,
  };
  return { bootstrap, options: agentOptions(env, options, bootstrap) };
}

function agentOptions(env: NodeJS.ProcessEnv, options: AgentCommandOptions, bootstrap: PodBootstrapOptions): AgentOptions {
  const { value } = bootstrap.proxyConfig;
  return {
    ...agentOptionsOf(env, value),
    root: options.root,
    role: bootstrap.role as NonNullable<AgentOptions['role']>,
    bind: options.bind,
    ports: {
      status: options.statusPort ?? portIn(value['statusPort'], 15_020),
      admin: options.adminPort ?? portIn(value['proxyAdminPort'], 15_000),
      ready: options.readyPort ?? portIn(env['ENVOY_STATUS_PORT'], 15_021),
      prometheus: options.prometheusPort ?? portIn(env['ENVOY_PROMETHEUS_PORT'], 15_090),
    },
    envoy: envoyOf(env, options, bootstrap.proxyConfig),
    bootstrap: options.bootstrap ?? ((place) => podBootstrap(bootstrap, place)),
  };
}

function envoyOf(env: NodeJS.ProcessEnv, options: AgentCommandOptions, { value, origins }: MergedProxyConfig): AgentEnvoy {
  if (options.envoyAdmin !== undefined) return { kind: 'attach', adminUrl: options.envoyAdmin };
  if (options.envoy === false || goBool(env['DISABLE_ENVOY'])) return { kind: 'none' };
  // Istio's own default names a place in its image; only another one is a wish.
  const path = origins['binaryPath']?.source === 'default' ? undefined : value['binaryPath'];
  const wanted = options.envoy ?? (typeof path === 'string' ? path : undefined);
  return {
    kind: 'start',
    env,
    concurrency: Number(value['concurrency'] ?? 0) || 2,
    ...(wanted === undefined ? {} : { envoy: wanted }),
    ...(options.envoyArg ? { args: options.envoyArg } : {}),
  };
}

function overridden(config: MergedProxyConfig, { discoveryAddress }: AgentCommandOptions): MergedProxyConfig {
  if (discoveryAddress === undefined) return config;
  return {
    value: { ...config.value, discoveryAddress },
    origins: { ...config.origins, discoveryAddress: { source: 'argument' } },
  };
}

function portIn(value: unknown, fallback: number): number {
  const port = Number(value ?? fallback);
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : fallback;
}

function releaseOf(version: string): PodBootstrapOptions['release'] {
  const release = readRelease(version);
  if (release) return release;
  throw new FakeIstiodError('usage.invalid', `--istio-version: "${version}" is no version of Istio`, { remedy: 'Give one such as 1.31.0' });
}

async function downward(files: PodFiles, name: string): Promise<Readonly<Record<string, string>>> {
  return (await files.exists(name)) ? readDownwardFile(await files.text(name)) : {};
}

/** What pilot-agent finds at the pod's interfaces, link-local ones left out. */
function interfaceAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ internal, address }) => !internal && !/^(fe80|169\.254)/i.test(address)).map(({ address }) => address);
}

async function writeOut(
  { place }: Agent,
  bootstrap: PodBootstrapOptions,
  { bootstrapOut }: AgentCommandOptions,
  terminal: Terminal,
): Promise<void> {
  if (bootstrapOut === undefined) return;
  await writeBootstrapFile(withAbsoluteSockets(podBootstrap(bootstrap, place), place), bootstrapOut, undefined, terminal);
}
