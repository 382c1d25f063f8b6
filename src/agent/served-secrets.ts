import { defaultTrustDomain } from '../ca/spiffe-id.ts';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import type { IstiodConnection } from './istiod-connection.ts';
import type { AgentOptions } from './options.ts';
import { podFile, type PodFiles } from './pod-files.ts';
import { SdsService } from './sds-service.ts';
import { SecretStore, type SecretStoreOptions } from './secret-store.ts';
import { isAlive, serveOnSocket, type SocketServer } from './socket-server.ts';
import { requestCertificate } from './workload-certificate.ts';

export interface ServedSecretsOptions {
  readonly options: AgentOptions;
  readonly connection: IstiodConnection;
  readonly files: PodFiles;
  /** Where Envoy looks for its certificate. */
  readonly path: string;
  readonly log: AgentLog;
  readonly metrics: AgentMetrics;
  readonly clock: Clock;
  readonly stopped: AbortSignal;
}

/** Secrets, and the socket on which they are given out. */
export interface ServedSecrets {
  readonly store: SecretStore;
  readonly server: SocketServer;
}

const dayMs = 86_400_000;
type Mounted = NonNullable<SecretStoreOptions['mounted']>;

/**
 * Gives out certificate and root, from files or from the CA (istio pkg/istio-agent/agent.go:initSdsServer). Errors: `input.unreadable` for the
 * CA's root certificate, `options.invalid` for a socket of somebody else that is not there, those of `serveOnSocket`.
 */
export async function serveSecrets(given: ServedSecretsOptions): Promise<ServedSecrets> {
  const { options, connection, files, path, log, clock } = given;
  const filesOnly = await hasForeignSocket(given);
  const mounted = await mountedCertificate(given);
  const asksCa = !filesOnly && !mounted && !options.fileMountedCerts;
  // pilot-agent does not start without the root either.
  if (asksCa) await connection.caTarget();
  const where = asksCa
    ? `CA Endpoint ${connection.caAddress}, provider Citadel`
    : 'Workload is using file mounted certificates. Skipping connecting to CA';
  log('info', 'default', where);
  const store = secretStore(given, asksCa, mounted);
  const sds = new SdsService({ get: (name) => store.get(name), log, clock });
  store.onUpdate((name) => {
    sds.push(name);
    // Without an Envoy nobody asks for the next certificate; then the agent itself does.
    if (options.envoy?.kind === 'none' && !store.certificate) void store.warm();
  });
  const socket = filesOnly ? files.path(podFile.filesSocket) : path;
  const server = await serveOnSocket(socket, sds.methods);
  log('info', 'sds', `Starting SDS server for workload certificates, will listen on "${socket}"`);
  if (asksCa) void store.warm();
  return { store, server };
}

function secretStore(given: ServedSecretsOptions, asksCa: boolean, mounted: Mounted | undefined): SecretStore {
  const { options, connection, files, log, metrics, clock, stopped } = given;
  const { workload = {}, key = { kind: 'rsa', bits: 2048 }, pkcs8 = false, secretTtlMs = dayMs, certSigner = '' } = options;
  const { trustDomain = defaultTrustDomain, namespace = 'default', serviceAccount = 'default' } = workload;
  const common = { log, metrics, clock, random: options.random ?? Math.random, stopped };
  const source = {
    ...common,
    connection,
    identity: { trustDomain, namespace, serviceAccount },
    key,
    pkcs8,
    ttlMs: secretTtlMs,
    certSigner,
  };
  return new SecretStore({
    ...common,
    files,
    request: asksCa ? (resource) => requestCertificate(resource, source) : undefined,
    ...(mounted ? { mounted } : {}),
    outputCerts: options.outputCerts,
    grace: { ratio: options.graceRatio ?? 0.5, jitter: options.graceRatioJitter ?? 0.01 },
  });
}

/** Whether somebody else (SPIRE) gives out certificates here already. */
async function hasForeignSocket({ options, path, log }: ServedSecretsOptions): Promise<boolean> {
  if (await isAlive(path)) {
    log('info', 'default', `Existing workload SDS socket found at ${path}. Default Istio SDS Server will only serve files`);
    return true;
  }
  if ((options.workloadSocketFile ?? 'socket') === 'socket') return false;
  throw new FakeIstiodError('options.invalid', `agent configured for non-default SDS socket path: ${path} but no socket found`, {
    remedy: 'Start what listens there (SPIRE) first, or leave the name of the socket as it is',
  });
}

/** The certificate of a workload that has one in files of its own, away from `./etc/certs`. */
async function mountedCertificate({ files, log }: ServedSecretsOptions): Promise<Mounted | undefined> {
  const own = { chain: podFile.workloadChain, key: podFile.workloadKey, root: podFile.workloadRoot };
  const there = await Promise.all(Object.values(own).map((name) => files.exists(name)));
  if (!there.every(Boolean)) return undefined;
  log('info', 'default', 'workload certificate files detected, creating secret manager without caClient');
  return own;
}
