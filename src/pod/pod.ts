import { X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from '../auth/identity.ts';
import { makeCsr } from '../ca/new-csr.ts';
import type { Clock } from '../clock.ts';
import type { BootstrapOptions } from '../envoy/bootstrap.ts';
import { tokenFileText } from '../envoy/token-file.ts';
import { makeWorkDir, type WorkDir } from '../envoy/work-dir.ts';
import type { CertificateRequest, ProxyCertificate, ProxyCommand, ProxyTls, ProxyToken } from '../script/proxy-identity.ts';
import type { BootstrapWish } from '../script/scenario.ts';
import { askCa } from '../wire/ca-client.ts';
import { makeProxyToken, type MadeToken } from './proxy-token.ts';
import type { PodEvent } from './pod-event.ts';

export interface PodOptions {
  readonly clock: Clock;
  /** Makes what the proxy proves itself with. */
  readonly identity: Pick<Identity, 'authority' | 'token' | 'clientCertificate'>;
  /** Where the server listens. */
  address(): { readonly host: string; readonly port: number };
  emit(event: PodEvent): void;
}

/** The name that istiod's certificate is known by. */
const serverName = 'istiod.istio-system.svc';
const deadlineMs = 5_000;

/** Bootstrap options that come of a scenario's wishes. */
export type CredentialOptions = Pick<BootstrapOptions, 'tls' | 'initialMetadata' | 'tokenFile'>;

/**
 * The proxy's surroundings in a pod, as far as a scenario needs them: what kubelet and pilot-agent would do for it, its certificate, its
 * token, its token file, its calls to the CA.
 */
export class Pod {
  private readonly options: PodOptions;
  private folder: WorkDir | undefined;
  /** Of all Envoys; a new token goes into each. */
  private readonly tokenFiles = new Set<string>();
  /** Commands are carried out one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(options: PodOptions) {
    this.options = options;
  }

  /** Makes everything that a bootstrap is to hold, of the Envoy of that name. Needs no server that runs. */
  async prepare({ tls, certificate, token, tokenFile }: BootstrapWish, envoy = ''): Promise<CredentialOptions> {
    const clusterId = (token ?? tokenFile)?.clusterId;
    const metadata = {
      ...(token ? { authorization: `Bearer ${(await this.token(token)).text}` } : {}),
      ...(clusterId === undefined ? {} : { clusterid: clusterId }),
    };
    const file = tokenFile ? this.tokenFileOf(envoy) : undefined;
    if (tokenFile && file !== undefined) await this.writeToken(tokenFile, [file]);
    return {
      ...(tls ? { tls: await this.tls(tls, certificate) } : {}),
      ...(Object.keys(metadata).length > 0 ? { initialMetadata: metadata } : {}),
      ...(file === undefined ? {} : { tokenFile: file }),
    };
  }

  /** Plays the proxy's side of a command. Rejects if that is not possible on this machine. */
  perform(command: ProxyCommand): Promise<void> {
    const done = this.turn.then(() => this.carryOut(command));
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Removes the files, once nothing is under way any more. */
  async stop(): Promise<void> {
    await this.turn;
    await this.folder?.remove();
  }

  private async carryOut(command: ProxyCommand): Promise<void> {
    if (command.kind === 'request-certificate') return this.requestCertificate(command.request);
    const { audiences, notAfter } = await this.writeToken(command.token, [...this.tokenFiles]);
    this.options.emit({ event: 'token.written', audiences, notAfter: notAfter.toISOString() });
  }

  private tokenFileOf(envoy: string): string {
    this.folder ??= makeWorkDir('token');
    const file = join(this.folder.path, envoy === '' ? 'token.json' : `token-${envoy}.json`);
    this.tokenFiles.add(file);
    return file;
  }

  private token(wish: ProxyToken): Promise<MadeToken> {
    const { identity, clock } = this.options;
    return makeProxyToken(wish, (token) => identity.token(token), clock);
  }

  private async writeToken(wish: ProxyToken, files: readonly string[]): Promise<MadeToken> {
    const token = await this.token(wish);
    for (const file of files) {
      await writeFile(`${file}.new`, tokenFileText(token.text), { mode: 0o600 });
      await rename(`${file}.new`, file);
    }
    return token;
  }

  private async tls(
    { sni, subjectAltName }: ProxyTls,
    certificate: ProxyCertificate | undefined,
  ): Promise<NonNullable<BootstrapOptions['tls']>> {
    return {
      rootCert: await this.options.identity.authority.rootPem(),
      ...(sni === undefined ? {} : { sni }),
      ...(subjectAltName === undefined ? {} : { subjectAltName }),
      ...(certificate ? { certificate: await this.certificate(certificate) } : {}),
    };
  }

  private async certificate(wish: ProxyCertificate): Promise<{ readonly chain: string; readonly privateKey: string }> {
    const { namespace = 'default', serviceAccount = 'default', trustDomain, ttlMs } = wish;
    const { certificatePem, privateKeyPem } = await this.options.identity.clientCertificate(
      { namespace, serviceAccount, ...(trustDomain === undefined ? {} : { trustDomain }) },
      ttlMs === undefined ? {} : { validityMs: ttlMs },
    );
    return { chain: certificatePem, privateKey: privateKeyPem };
  }

  private async requestCertificate({
    namespace = 'default',
    serviceAccount = 'default',
    token = {},
    ttlMs = 86_400_000,
  }: CertificateRequest): Promise<void> {
    const { authority } = this.options.identity;
    const account = { namespace, serviceAccount };
    const shown = token === false ? undefined : await this.token({ ...account, ...token });
    const { host, port } = this.options.address();
    const answer = await askCa({
      clock: this.options.clock,
      istiod: { address: `${host}:${port}`, tls: { rootPem: await authority.rootPem(), serverName } },
      deadlineMs,
      csr: await makeCsr({ trustDomain: authority.trustDomain, ...account }),
      validitySeconds: Math.floor(ttlMs / 1000),
      token: shown?.text,
      clusterId: token === false ? undefined : token.clusterId,
    });
    this.options.emit('chain' in answer ? received(answer.chain) : { event: 'certificate.refused', ...answer });
  }
}

function received(chain: readonly string[]): PodEvent {
  const { subjectAltName, validTo } = new X509Certificate(chain[0] ?? '');
  const identity = (subjectAltName ?? '').replace(/^URI:/, '');
  return { event: 'certificate.received', identity, notAfter: new Date(validTo).toISOString(), chain: chain.length };
}
