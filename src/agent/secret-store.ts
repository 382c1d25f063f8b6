import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatePems } from '../ca/pem.ts';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { exponentialBackOff, rotationDelayMs, type GraceRatio, type Random } from './back-off.ts';
import { FileSecrets } from './file-secrets.ts';
import { certificateFile, podFile, type PodFiles } from './pod-files.ts';
import { filesInName, mergedRoots, rootSecret, workloadSecret, type Secret, type SecretFiles } from './secret.ts';
import { waited } from './waited.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';

export interface SecretStoreOptions {
  readonly files: PodFiles;
  /** Asks the CA; absent: no CA is asked, and the certificate has to lie in files. Rejects with a reason in pilot-agent's words. */
  readonly request: ((resource: string) => Promise<WorkloadCertificate>) | undefined;
  /** Where the workload's own certificate may lie; default `./etc/certs`. */
  readonly mounted?: { readonly chain: string; readonly key: string; readonly root: string };
  readonly outputCerts: string | undefined;
  readonly grace: GraceRatio;
  readonly log: AgentLog;
  readonly metrics: AgentMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopped: AbortSignal;
}

/**
 * The secrets of the workload: from files where there are files, else from the CA, renewed at half of their life (istio
 * security/pkg/nodeagent/cache/secretcache.go). Errors are those of `request`, put in pilot-agent's words.
 */
export class SecretStore {
  readonly #options: SecretStoreOptions;
  readonly #fileSecrets: FileSecrets;
  readonly #listeners = new Set<(name: string) => void>();
  #certificate: WorkloadCertificate | undefined;
  #lastRoot: string | undefined;
  #configuredRoots: readonly string[] = [];
  /** One certificate is asked for at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #callOffRotation: (() => void) | undefined;

  constructor(options: SecretStoreOptions) {
    this.#options = options;
    const onChange = (name: string): void => {
      options.log('info', 'cache', `event for file certificate ${name}, pushing to proxy`);
      this.#tell(name);
    };
    this.#fileSecrets = new FileSecrets({ files: options.files, clock: options.clock, onChange });
    options.stopped.addEventListener('abort', () => {
      this.#fileSecrets.stop();
      this.#callOffRotation?.();
    });
  }

  /** The certificate that is in use, if there is one. */
  get certificate(): WorkloadCertificate | undefined {
    return this.#certificate;
  }

  /** Calls `listener` with the name of a secret that has to be fetched anew. */
  onUpdate(listener: (name: string) => void): void {
    this.#listeners.add(listener);
  }

  /** The secret of a name. Rejects with pilot-agent's reason. */
  async get(name: string): Promise<Secret> {
    const from = filesInName(name) ?? (await this.#mountedFiles(name));
    const secret = from ? await this.#fromFiles(name, from) : await this.#fromCa(name);
    await this.#writeOut(name, secret);
    return secret;
  }

  /** Gets certificate and root before anybody asks, again and again until that works or the agent stops. */
  async warm(): Promise<void> {
    const { log, clock, random, stopped } = this.#options;
    const backOff = exponentialBackOff(random);
    while (!stopped.aborted) {
      const failed = await this.#warmOnce();
      if (failed === undefined || stopped.aborted) return;
      log('warn', 'sds', failed);
      await waited(backOff.next(), clock, stopped);
    }
  }

  /** Takes the roots that istiod configures (ProxyConfig.caCertificatesPem); a change makes everything anew. */
  setConfiguredRoots(pems: readonly string[]): void {
    const roots = pems.flatMap((pem) => certificatePems(pem));
    if (mergedRoots(roots) === mergedRoots(this.#configuredRoots)) return;
    this.#configuredRoots = roots;
    this.#tell(rootSecret);
    this.#certificate = undefined;
    this.#tell(workloadSecret);
  }

  async #warmOnce(): Promise<string | undefined> {
    let what = 'certificate';
    try {
      await this.get(workloadSecret);
      what = 'root certificate';
      await this.get(rootSecret);
      return undefined;
    } catch (error) {
      return `failed to warm ${what}: ${messageOf(error)}`;
    }
  }

  async #mountedFiles(name: string): Promise<SecretFiles | undefined> {
    const { files, outputCerts } = this.#options;
    const { chain, key, root } = this.#options.mounted ?? {
      chain: podFile.mountedChain,
      key: podFile.mountedKey,
      root: podFile.mountedRoot,
    };
    // What the agent writes there itself is no source.
    if (outputCerts !== undefined && files.path(outputCerts) === files.path(join(chain, '..'))) return undefined;
    if (name === rootSecret) return (await files.exists(root)) ? { kind: 'root', root } : undefined;
    if (name !== workloadSecret) return undefined;
    return (await files.exists(chain)) && (await files.exists(key)) ? { kind: 'certificate', chain, key } : undefined;
  }

  async #fromFiles(name: string, from: SecretFiles): Promise<Secret> {
    const { log, metrics } = this.#options;
    try {
      const secret = await this.#fileSecrets.read(name, from);
      log('info', 'cache', 'read certificate from file', { resource: name });
      return secret.kind === 'root' && name === rootSecret ? { kind: 'root', root: this.#withConfigured(secret.root) } : secret;
    } catch (error) {
      metrics.count('num_file_secret_failures_total');
      log('error', 'cache', `resource:${name} failed to generate secret for proxy from file: ${messageOf(error)}`);
      throw error;
    }
  }

  async #fromCa(name: string): Promise<Secret> {
    if (!this.#options.request) throw new Error('failed to generate workload certificate: attempted to fetch secret, but ca client is nil');
    const { request } = this.#options;
    const cached = this.#cached(name);
    if (cached) return cached;
    const made = this.#turn.then(() => this.#cached(name) ?? this.#renew(name, request));
    this.#turn = made.catch(() => undefined);
    return made;
  }

  #cached(name: string): Secret | undefined {
    const held = this.#certificate;
    if (!held) return undefined;
    const what = name === rootSecret ? 'trust anchor' : 'certificate';
    this.#options.log('info', 'cache', `returned workload ${what} from cache`, { ttl: `${this.#secondsLeft(held)}s` });
    return this.#secretOf(name, held);
  }

  async #renew(name: string, request: NonNullable<SecretStoreOptions['request']>): Promise<Secret> {
    let made: WorkloadCertificate;
    try {
      made = await request(name);
    } catch (error) {
      throw new Error(`failed to generate workload certificate: ${messageOf(error)}`, { cause: error });
    }
    this.#certificate = made;
    this.#options.metrics.gauge('cert_expiry_seconds', () => this.#secondsLeft(made), `resource_name="${workloadSecret}"`);
    this.#rotateLater(made);
    if (name !== rootSecret && made.root !== this.#lastRoot) {
      this.#options.log('info', 'cache', 'Root cert has changed, start rotating root cert');
      this.#lastRoot = made.root;
      this.#tell(rootSecret);
    }
    return this.#secretOf(name, made);
  }

  #rotateLater(made: WorkloadCertificate): void {
    const { grace, clock, random, log } = this.#options;
    const delayMs = rotationDelayMs(made.createdMs, made.expiresMs, clock.date().getTime(), grace, random);
    log('debug', 'cache', `scheduled certificate for rotation in ${Math.round(delayMs / 1000)}s`);
    this.#callOffRotation?.();
    this.#callOffRotation = clock.after(delayMs, () => {
      if (this.#certificate !== made) return;
      log('debug', 'cache', 'rotating certificate');
      this.#certificate = undefined;
      this.#tell(workloadSecret);
    });
  }

  #secretOf(name: string, { chain, privateKey, root }: WorkloadCertificate): Secret {
    return name === rootSecret ? { kind: 'root', root: this.#withConfigured(root) } : { kind: 'certificate', chain, privateKey };
  }

  #withConfigured(root: string): string {
    return mergedRoots([...certificatePems(root), ...this.#configuredRoots]);
  }

  #secondsLeft({ expiresMs }: WorkloadCertificate): number {
    return Math.round((expiresMs - this.#options.clock.date().getTime()) / 1000);
  }

  #tell(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }

  async #writeOut(name: string, secret: Secret): Promise<void> {
    const { outputCerts, files, log } = this.#options;
    if (outputCerts === undefined || (name !== workloadSecret && name !== rootSecret)) return;
    const folder = files.path(outputCerts);
    const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text, { mode: 0o600 });
    try {
      await mkdir(folder, { recursive: true });
      if (secret.kind === 'root') return await write(certificateFile.root, secret.root);
      await write(certificateFile.key, secret.privateKey);
      await write(certificateFile.chain, secret.chain);
    } catch (error) {
      log('error', 'cache', `error when output the resource: ${messageOf(error)}`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : FakeIstiodError.from(error).message;
}
