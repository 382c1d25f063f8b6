import { readAppProbers } from '../agent/app-probers.ts';
import type { WorkloadProbe } from '../agent/health-checker.ts';
import { readScrapeTargets } from '../agent/merged-metrics.ts';
import type { AgentOptions } from '../agent/options.ts';
import { FakeIstiodError } from '../errors.ts';
import type { JsonObject } from '../envoy/json.ts';
import { goBool, goDurationNanos } from '../sidecar/go-text.ts';

/** The environment of pilot-agent; an empty value counts as none. */
export type AgentEnv = Readonly<Record<string, string | undefined>>;

/**
 * What pilot-agent takes from its environment and its merged ProxyConfig (istio pilot/cmd/pilot-agent/options). Error `usage.invalid` names the
 * variable that cannot be read.
 *
 * @param proxyConfig the merged one, in lowerCamel names
 */
export function agentOptionsOf(env: AgentEnv, proxyConfig: JsonObject): AgentOptions {
  const text = (name: string): string | undefined => env[name] || undefined;
  const part = <K extends keyof AgentOptions>(key: K, value: AgentOptions[K] | undefined): Pick<AgentOptions, K> | object =>
    value === undefined ? {} : { [key]: value };
  const appProbers = text('ISTIO_KUBE_APP_PROBERS');
  const scrape = text('ISTIO_PROMETHEUS_ANNOTATIONS');
  return {
    workload: workloadOf(text),
    ...part('discoveryAddress', textOf(proxyConfig['discoveryAddress'])),
    ...part('caAddress', text('CA_ADDR')),
    ...part('istiodSan', text('ISTIOD_SAN')),
    controlPlaneAuthPolicy: proxyConfig['controlPlaneAuthPolicy'] === 'NONE' ? 'NONE' : 'MUTUAL_TLS',
    ...part('xdsRootCa', text('XDS_ROOT_CA')),
    ...part('caRootCa', text('CA_ROOT_CA')),
    ...part('provCert', text('PROV_CERT')),
    ...part('fileMountedCerts', mountedCerts(env, proxyConfig)),
    ...part('outputCerts', text('OUTPUT_CERTS')),
    // Empty is istiod's own cluster.
    clusterId: env['ISTIO_META_CLUSTER_ID'] ?? '',
    xdsHeaders: withPrefix(env, 'XDS_HEADER_'),
    caHeaders: withPrefix(env, 'CA_HEADER_'),
    ...part('certSigner', text('ISTIO_META_CERT_SIGNER')),
    ...part('secretTtlMs', duration('SECRET_TTL', text('SECRET_TTL'))),
    ...part('graceRatio', ratio('SECRET_GRACE_PERIOD_RATIO', text('SECRET_GRACE_PERIOD_RATIO'))),
    ...part('graceRatioJitter', ratio('SECRET_GRACE_PERIOD_RATIO_JITTER', text('SECRET_GRACE_PERIOD_RATIO_JITTER'))),
    key: keyOf(text),
    pkcs8: flag('PKCS8_KEY', text, false),
    variant: flag('ISTIO_DELTA_XDS', text, true) ? 'delta' : 'sotw',
    dnsCapture: flag('ISTIO_META_DNS_CAPTURE', text, false),
    proxyConfigXds: flag('PROXY_CONFIG_XDS_AGENT', text, false),
    ...part('workloadSocketFile', text('WORKLOAD_IDENTITY_SOCKET_FILE')),
    ...(appProbers === undefined ? {} : { appProbers: readAppProbers(appProbers) }),
    ...(scrape === undefined ? {} : { scrape: readScrapeTargets(scrape, Number(proxyConfig['statusPort'] ?? 15_020)) }),
    ...part('readinessProbe', proxyConfig['readinessProbe'] as WorkloadProbe | undefined),
    ...part('terminationDrainMs', duration('terminationDrainDuration', textOf(proxyConfig['terminationDrainDuration']))),
    ...part('drainMs', duration('drainDuration', textOf(proxyConfig['drainDuration']))),
  };
}

function workloadOf(text: (name: string) => string | undefined): NonNullable<AgentOptions['workload']> {
  return Object.fromEntries(
    Object.entries({
      name: text('POD_NAME'),
      namespace: text('POD_NAMESPACE'),
      serviceAccount: text('SERVICE_ACCOUNT'),
      trustDomain: text('TRUST_DOMAIN'),
      ip: text('INSTANCE_IP'),
    }).filter(([, value]) => value !== undefined),
  );
}

/** The names of the files are in the ProxyConfig's metadata. */
function mountedCerts(env: AgentEnv, proxyConfig: JsonObject): AgentOptions['fileMountedCerts'] | undefined {
  if (!flag('FILE_MOUNTED_CERTS', (name) => env[name] || undefined, false)) return undefined;
  if (env['PROV_CERT']) {
    throw new FakeIstiodError('usage.invalid', 'PROV_CERT and FILE_MOUNTED_CERTS exclude each other', { remedy: 'Unset one of the two' });
  }
  const metadata = (proxyConfig['proxyMetadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const file = (name: string): string | undefined => textOf(metadata[`ISTIO_META_TLS_CLIENT_${name}`]);
  const [chain, key, root] = [file('CERT_CHAIN'), file('KEY'), file('ROOT_CERT')];
  return chain !== undefined && key !== undefined && root !== undefined ? { chain, key, root } : true;
}

function keyOf(text: (name: string) => string | undefined): NonNullable<AgentOptions['key']> {
  if (text('ECC_SIGNATURE_ALGORITHM') === 'ECDSA') return { kind: 'ec', curve: text('ECC_CURVE') === 'P384' ? 'P-384' : 'P-256' };
  const bits = text('WORKLOAD_RSA_KEY_SIZE') ?? '2048';
  if (/^(2048|3072|4096|8192)$/.test(bits)) return { kind: 'rsa', bits: Number(bits) };
  throw wrong('WORKLOAD_RSA_KEY_SIZE', bits, 'a key size such as 2048');
}

function withPrefix(env: AgentEnv, prefix: string): Readonly<Record<string, string>> {
  const found = Object.entries(env).filter(
    ([name, value]) => name.startsWith(prefix) && name.length > prefix.length && value !== undefined,
  );
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value ?? '']));
}

function flag(name: string, text: (name: string) => string | undefined, fallback: boolean): boolean {
  const value = text(name);
  if (value === undefined) return fallback;
  const read = goBool(value);
  if (read !== undefined) return read;
  throw wrong(name, value, 'true or false');
}

function duration(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const nanos = goDurationNanos(value);
  if (nanos !== undefined && nanos >= 0) return nanos / 1e6;
  throw wrong(name, value, 'a duration such as 24h or 90s');
}

function ratio(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (number >= 0 && number <= 1) return number;
  throw wrong(name, value, 'a number between 0 and 1');
}

function wrong(name: string, value: string, expected: string): FakeIstiodError {
  return new FakeIstiodError('usage.invalid', `${name}: "${value}" is not ${expected}`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
