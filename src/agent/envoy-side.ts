import { mkdir, rm, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  adminClient,
  findEnvoy,
  launchEnvoy,
  type AdminClient,
  type EnvoyBinary,
  type EnvoyExit,
  type LaunchedEnvoy,
} from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import { agentBootstrap } from './agent-bootstrap.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentOptions, BootstrapPlace } from './options.ts';

/** The Envoy beside the agent. */
export interface EnvoySide {
  /** Undefined where there is none. */
  readonly admin: AdminClient | undefined;
  /** Undefined unless the agent started it. */
  readonly process: LaunchedEnvoy | undefined;
  /** Closes its listeners gently. `forGood` keeps it running afterwards, for a termination that comes later. */
  drain(forGood: boolean): Promise<void>;
  /** Ends one that the agent started. */
  stop(): Promise<void>;
}

type StartWish = Extract<NonNullable<AgentOptions['envoy']>, { kind: 'start' }>;

/** Where pilot-agent writes the bootstrap that it makes. */
const bootstrapFile = './etc/istio/proxy/envoy-rev.json';

/** Starts Envoy, or finds the one that runs. Errors are those of `launchEnvoy`; `usage.invalid` for an Envoy in a container. */
export async function envoySide(options: AgentOptions, place: BootstrapPlace, log: AgentLog): Promise<EnvoySide> {
  const { envoy = { kind: 'start' }, role = 'sidecar', clock } = options;
  if (envoy.kind === 'none') return { admin: undefined, process: undefined, drain: async () => undefined, stop: async () => undefined };
  const url = envoy.kind === 'attach' ? envoy.adminUrl : `http://127.0.0.1:${place.ports.admin}`;
  const admin = adminClient(url, clock ? { clock } : {});
  const started = envoy.kind === 'start' ? await start(options, envoy, place, log) : undefined;
  return {
    admin,
    process: started?.process,
    drain: (forGood) => drain(admin, role, forGood, log),
    stop: async () => started?.stop(),
  };
}

async function start(
  options: AgentOptions,
  wish: StartWish,
  place: BootstrapPlace,
  log: AgentLog,
): Promise<{ readonly process: LaunchedEnvoy; stop(): Promise<void> }> {
  const own = typeof options.bootstrap === 'string' ? undefined : join(place.root, bootstrapFile);
  const file = own === undefined ? resolve(String(options.bootstrap)) : own;
  if (own !== undefined)
    await write(own, (typeof options.bootstrap === 'function' ? options.bootstrap : agentBootstrap.bind(undefined, options))(place));
  const args = envoyArguments(options, wish);
  log('info', 'default', `Envoy command: [-c ${own === undefined ? file : bootstrapFile} ${args.join(' ')}]`);
  const process = await launchEnvoy({
    bootstrap: file,
    cwd: place.root,
    args,
    envoy: await binaryOnly(wish),
    ...(wish.env ? { env: wish.env } : {}),
    ...(options.onEnvoyLog ? { onLog: options.onEnvoyLog } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
  });
  let stopping = false;
  void process.exited.then(async (exit) => {
    const problem = exitText(exit);
    if (stopping) log('info', 'default', 'Envoy aborted normally');
    else if (problem === undefined) log('info', 'default', 'Envoy exited normally');
    else log('error', 'default', `Envoy exited with error: ${problem}`);
    if (own !== undefined) await rm(own, { force: true });
  });
  const stop = (): Promise<void> => {
    stopping = true;
    return process.stop();
  };
  return { process, stop };
}

/** @note An Envoy in a container of its own would see neither the agent's sockets nor its ports. */
async function binaryOnly({ envoy, env }: StartWish): Promise<EnvoyBinary> {
  const found =
    typeof envoy === 'object' ? envoy : await findEnvoy({ ...(envoy === undefined ? {} : { wanted: envoy }), ...(env ? { env } : {}) });
  if (found.kind === 'binary') return found;
  throw new FakeIstiodError('usage.invalid', 'the agent cannot start an Envoy in a container: its Unix sockets would not be there', {
    remedy: 'Name an Envoy by version or path, or run Envoy beside it and say --envoy-admin URL',
  });
}

async function write(file: string, bootstrap: unknown): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(bootstrap, undefined, 2)}\n`);
  } catch (cause) {
    throw new FakeIstiodError('output.unwritable', `${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, {
      remedy: 'Choose a --root that you may write to',
      cause,
    });
  }
}

/** pilot-agent's, and the user's own after them. */
function envoyArguments({ drainMs = 45_000 }: AgentOptions, { args = [], concurrency = 1 }: StartWish): readonly string[] {
  const hasLevel = args.some((arg) => /^(-l|--log-level|--component-log-level)(=|$)/.test(arg));
  return [
    ...['--drain-time-s', String(Math.round(drainMs / 1000)), '--drain-strategy', 'immediate', '--local-address-ip-version', 'v4'],
    ...['--file-flush-interval-msec', '1000', '--disable-hot-restart', '--allow-unknown-static-fields'],
    ...(hasLevel ? [] : ['-l', 'warning', '--component-log-level', 'misc:error']),
    ...['--skip-deprecated-logs', '--concurrency', String(concurrency)],
    ...args,
  ];
}

async function drain(admin: AdminClient, role: string, forGood: boolean, log: AgentLog): Promise<void> {
  const inboundOnly = role === 'sidecar' ? 'inboundonly&' : '';
  try {
    await admin.post(`/drain_listeners?${inboundOnly}graceful${forGood ? '&skip_exit' : ''}`);
  } catch (error) {
    log('warn', 'default', `Error in invoking drain listeners endpoint: ${FakeIstiodError.from(error).message}`);
  }
}

/** How a process ended, as Go says it; undefined if it ended well. */
export function exitText({ code, signal }: EnvoyExit): string | undefined {
  if (signal !== null) return `signal: ${signal === 'SIGKILL' ? 'killed' : signal.slice(3).toLowerCase()}`;
  return code === 0 ? undefined : `exit status ${code}`;
}

/** How a process ended, as a shell counts it. */
export function exitNumber({ code, signal }: EnvoyExit): number {
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}
