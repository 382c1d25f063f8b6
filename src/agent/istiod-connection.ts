import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { IstiodTarget, IstiodTls } from '../wire/istiod-client.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentOptions } from './options.ts';
import { certificateFile, podFile, type PodFiles } from './pod-files.ts';

/** What is sent along with a call. */
export interface Proof {
  /** Without `Bearer`; undefined where there is no token file. */
  readonly token: string | undefined;
  readonly clusterId: string;
  readonly headers: Readonly<Record<string, string>>;
}

type ConnectionOptions = Pick<
  AgentOptions,
  | 'discoveryAddress'
  | 'caAddress'
  | 'istiodSan'
  | 'controlPlaneAuthPolicy'
  | 'xdsRootCa'
  | 'caRootCa'
  | 'provCert'
  | 'fileMountedCerts'
  | 'clusterId'
  | 'xdsHeaders'
  | 'caHeaders'
>;

export const defaultDiscoveryAddress = 'istiod.istio-system.svc:15012';

/** Where istiod is and what it is shown: read anew from the pod's files for each connection and call. */
export class IstiodConnection {
  readonly discoveryAddress: string;
  readonly caAddress: string;
  readonly #options: ConnectionOptions;
  readonly #files: PodFiles;
  readonly #log: AgentLog;
  readonly #clock: Clock;

  constructor(options: ConnectionOptions, files: PodFiles, log: AgentLog, clock: Clock) {
    this.discoveryAddress = options.discoveryAddress ?? defaultDiscoveryAddress;
    this.caAddress = options.caAddress ?? this.discoveryAddress;
    this.#options = options;
    this.#files = files;
    this.#log = log;
    this.#clock = clock;
  }

  /** The target of an xDS stream. Error `input.unreadable` for files that are not there. */
  async xdsTarget(): Promise<IstiodTarget> {
    const address = this.discoveryAddress;
    if (this.#options.controlPlaneAuthPolicy === 'NONE') return { address };
    const { istiodSan, fileMountedCerts, provCert } = this.#options;
    const mounted = typeof fileMountedCerts === 'object' ? fileMountedCerts : undefined;
    const pair = provCert === undefined ? mounted : inFolder(provCert);
    return { address, tls: await this.#tls(await this.#xdsRootFile(), istiodSan ?? serverNameOf(address), pair) };
  }

  /** The target of a call to the CA. @note 15010 means plaintext to the CA whatever the policy says (istio pkg/istio-agent/plugins.go). */
  async caTarget(): Promise<IstiodTarget> {
    const address = this.caAddress;
    if (address.endsWith(':15010')) return { address };
    const { caAddress, istiodSan, provCert } = this.#options;
    // The name to be checked is overridden only where the CA is the discovery address by default.
    const serverName = (caAddress === undefined ? istiodSan : undefined) ?? serverNameOf(address);
    return { address, tls: await this.#tls(await this.#caRootFile(), serverName, provCert === undefined ? undefined : inFolder(provCert)) };
  }

  xdsProof(): Promise<Proof> {
    return this.#proof(this.#options.xdsHeaders);
  }

  caProof(): Promise<Proof> {
    return this.#proof(this.#options.caHeaders);
  }

  async #proof(headers: Proof['headers'] = {}): Promise<Proof> {
    return { token: await this.#token(), clusterId: this.#options.clusterId ?? 'Kubernetes', headers };
  }

  async #token(): Promise<string | undefined> {
    try {
      return (await this.#files.text(podFile.token)).trim() || undefined;
    } catch (error) {
      this.#log('warn', 'default', `failed to fetch token from file: ${FakeIstiodError.from(error).message}`);
      return undefined;
    }
  }

  /** Undefined: the system's. Order of istio pkg/istio-agent/agent.go:FindRootCAForXDS. */
  async #xdsRootFile(): Promise<string | undefined> {
    const { xdsRootCa, provCert, fileMountedCerts } = this.#options;
    if (xdsRootCa === 'SYSTEM') return undefined;
    if (xdsRootCa !== undefined) return this.#existing('XDS', xdsRootCa);
    if (await this.#files.exists(podFile.mountedRoot)) return podFile.mountedRoot;
    if (provCert !== undefined) return join(provCert, certificateFile.root);
    return this.#existing('XDS', typeof fileMountedCerts === 'object' ? fileMountedCerts.root : podFile.root);
  }

  async #caRootFile(): Promise<string | undefined> {
    const { caRootCa, provCert } = this.#options;
    if (caRootCa === 'SYSTEM') return undefined;
    if (caRootCa !== undefined) return this.#existing('CA', caRootCa);
    return provCert === undefined ? this.#existing('CA', podFile.root) : join(provCert, certificateFile.root);
  }

  async #existing(what: 'XDS' | 'CA', name: string): Promise<string> {
    if (await this.#files.exists(name)) return name;
    throw new FakeIstiodError('input.unreadable', `root CA file for ${what} does not exist ${name}`, {
      remedy: `In a pod it is the ConfigMap istio-ca-root-cert; put istiod's root at ${this.#files.path(name)}`,
    });
  }

  async #tls(rootFile: string | undefined, serverName: string, pair: CertificatePair | undefined): Promise<IstiodTls> {
    const certificate = pair === undefined ? undefined : await this.#certificate(pair);
    return {
      ...(rootFile === undefined ? {} : { rootPem: await this.#files.text(rootFile) }),
      serverName,
      ...(certificate ? { certificate } : {}),
    };
  }

  /** The certificate to be known by; one that cannot be used or has expired is not shown, and the token has to do. */
  async #certificate({ chain, key }: CertificatePair): Promise<IstiodTls['certificate']> {
    const text = await this.#files.text(chain);
    let expires: Date;
    try {
      expires = new Date(new X509Certificate(text).validTo);
    } catch (error) {
      this.#log('warn', 'default', `cannot parse the cert chain, using token instead: ${String(error)}`);
      return undefined;
    }
    if (expires.getTime() < this.#clock.date().getTime()) {
      this.#log('warn', 'default', 'cert expired, using token instead');
      return undefined;
    }
    return { chain: text, privateKey: await this.#files.text(key) };
  }
}

interface CertificatePair {
  readonly chain: string;
  readonly key: string;
}

function inFolder(folder: string): CertificatePair {
  return { chain: join(folder, certificateFile.chain), key: join(folder, certificateFile.key) };
}

/** The host of `host:port`. @note A host with `localhost` in it stands for istiod behind a port forward (istio pilot/pkg/grpc/tls.go). */
export function serverNameOf(address: string): string {
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return host.includes('localhost') ? 'istiod.istio-system.svc' : host;
}
