import type { AuthWish } from '../auth/policy.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import type { Command, IdentityCommand } from './command.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import type { CertificateRequest, ProxyCertificate, ProxyTls, ProxyToken } from './proxy-identity.ts';
import type { BootstrapWish } from './scenario.ts';
import type { AuthForm, GateForm, GatesForm, IdentityForm, RateLimitForm, TlsForm } from './schema-identity.ts';
import type { CertificateRequestForm, TokenForm } from './schema-proxy.ts';
import type { BootstrapForm } from './schema-envoys.ts';

/** The words that a scenario can begin with and a step can say. */
export const identityKeys = ['auth', 'gates', 'tls', 'rate_limit'] as const;
export type IdentityKey = (typeof identityKeys)[number];

/** What is said under one of the words. */
export function readIdentity<K extends IdentityKey>(
  key: K,
  written: NonNullable<IdentityForm[K]>,
  path: DocumentPath,
  findings: Findings,
): readonly IdentityCommand[] {
  switch (key) {
    case 'auth':
      return [{ kind: 'auth', wish: readAuth(written as AuthForm, path, findings) }];
    case 'gates':
      return readGates(written as GatesForm, path, findings);
    case 'tls':
      return [{ kind: 'tls', preset: written as TlsForm }];
    default:
      return [{ kind: 'rate-limit', ...((written as RateLimitForm) === 'off' ? {} : { perSecond: written as number }) }];
  }
}

function readAuth(written: AuthForm, path: DocumentPath, findings: Findings): AuthWish | 'off' {
  if (written === 'off') return 'off';
  const { audiences, issuer, trust_domain, keys, clusters, identity_check, client_certificate, texts, clock_skew } = written;
  const [first, ...aliases] = trust_domain === undefined ? [] : listOf(trust_domain);
  if (trust_domain !== undefined && first === undefined)
    findings.report([...path, 'trust_domain'], 'an empty list of trust domains', 'Name the one of the mesh');
  return {
    ...(audiences === undefined ? {} : { audiences: listOf(audiences) }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(first === undefined ? {} : { trustDomains: [first, ...aliases] as const }),
    ...(keys === undefined ? {} : { keys }),
    ...(clusters === undefined ? {} : { clusters: clusters as NonNullable<AuthWish['clusters']> }),
    ...(identity_check === undefined ? {} : { identityCheck: identity_check }),
    ...(client_certificate === undefined ? {} : { clientCertificate: client_certificate }),
    ...(texts === undefined ? {} : { texts }),
    ...(clock_skew === undefined ? {} : { clockSkewMs: durationMs(clock_skew) ?? 0 }),
  };
}

function readGates(written: GatesForm, path: DocumentPath, findings: Findings): readonly IdentityCommand[] {
  const services = Object.keys(written) as (keyof GatesForm)[];
  if (services.length === 0) findings.report(path, 'no gate is named', 'Write xds, ca or both, e.g. gates: { xds: closed }');
  return services.map((service) => readGate(service, written[service] as GateForm));
}

function readGate(service: 'xds' | 'ca', written: GateForm): IdentityCommand {
  if (typeof written === 'string') return { kind: 'gate', service, state: written };
  const { closed_for: tries, caller } = written;
  return { kind: 'gate', service, state: 'closed', ...(tries === undefined ? {} : { tries }), ...(caller === undefined ? {} : { caller }) };
}

function listOf(written: string | readonly string[]): readonly string[] {
  return typeof written === 'string' ? [written] : written;
}

/** A token of the proxy. */
export function readToken(written: TokenForm, path: DocumentPath, findings: Findings): ProxyToken {
  const { audience, issuer, ttl, expired, signed_by, cluster_id } = written;
  const ttlMs = readTtl(ttl, path, findings);
  if (expired && ttl !== undefined)
    findings.report([...path, 'ttl'], 'an expired token has no time left', 'Keep one of ttl and expired', 'key');
  return {
    ...accountOf(written),
    ...(audience === undefined ? {} : { audiences: listOf(audience) }),
    ...(issuer === undefined ? {} : { issuer }),
    ...ttlMs,
    ...(expired ? { expired } : {}),
    ...(signed_by === undefined ? {} : { signedBy: signed_by }),
    ...(cluster_id === undefined ? {} : { clusterId: cluster_id }),
  };
}

function accountOf({
  namespace,
  service_account,
}: {
  readonly namespace?: string | undefined;
  readonly service_account?: string | undefined;
}): Pick<ProxyToken, 'namespace' | 'serviceAccount'> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(service_account === undefined ? {} : { serviceAccount: service_account }),
  };
}

/** Certificates and tokens know whole seconds only. */
function readTtl(ttl: string | undefined, path: DocumentPath, findings: Findings): { readonly ttlMs?: number } {
  if (ttl === undefined) return {};
  const ttlMs = durationMs(ttl) ?? 0;
  if (ttlMs < 1000)
    findings.report([...path, 'ttl'], `${ttl} is less than a second, and what it bounds knows whole seconds only`, 'Write 1s or more');
  return { ttlMs };
}

/** What of a bootstrap is about identity. */
export function readProxyIdentity(
  written: BootstrapForm,
  path: DocumentPath,
  findings: Findings,
): Pick<BootstrapWish, 'tls' | 'certificate' | 'token' | 'tokenFile'> {
  const { tls, client_certificate, token, token_file } = written;
  if (token && token_file) findings.report([...path, 'token_file'], 'token and token_file stand together', 'Keep one of them', 'key');
  if (client_certificate && tls === false)
    findings.report([...path, 'tls'], 'a client certificate is shown in TLS alone', 'Take tls: false away');
  const speaksTls = client_certificate !== undefined || (tls !== undefined && tls !== false);
  return {
    ...(speaksTls ? { tls: typeof tls === 'object' ? readTls(tls) : {} } : {}),
    ...(client_certificate ? { certificate: readCertificate(client_certificate, [...path, 'client_certificate'], findings) } : {}),
    ...(token ? { token: readToken(token, [...path, 'token'], findings) } : {}),
    ...(token_file ? { tokenFile: readToken(token_file, [...path, 'token_file'], findings) } : {}),
  };
}

function readTls({ sni, san }: Exclude<BootstrapForm['tls'], boolean | undefined>): ProxyTls {
  return { ...(sni === undefined ? {} : { sni }), ...(san === undefined ? {} : { subjectAltName: san }) };
}

function readCertificate(
  written: NonNullable<BootstrapForm['client_certificate']>,
  path: DocumentPath,
  findings: Findings,
): ProxyCertificate {
  const { trust_domain, ttl } = written;
  return { ...accountOf(written), ...(trust_domain === undefined ? {} : { trustDomain: trust_domain }), ...readTtl(ttl, path, findings) };
}

/** What the proxy's own side does. */
export function readProxyCommand(
  key: 'token_file' | 'request_certificate',
  written: TokenForm | CertificateRequestForm,
  path: DocumentPath,
  findings: Findings,
): Command {
  if (key === 'token_file') return { kind: 'write-token', token: readToken(written, path, findings) };
  const { ttl, token } = written as CertificateRequestForm;
  const request: CertificateRequest = {
    ...accountOf(written),
    ...readTtl(ttl, path, findings),
    ...(token === undefined ? {} : { token: token === false ? false : readToken(token, [...path, 'token'], findings) }),
  };
  return { kind: 'request-certificate', request };
}
