import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateBootstrap } from '../../src/envoy/validate.ts';
import { makeBootstrap, type MadeBootstrap, type MakeBootstrapOptions } from '../../src/sidecar/make-bootstrap.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { releaseLines } from '../../src/sidecar/release-line.ts';
import { cli } from '../cli/fake-terminal.ts';
import { workFolder } from '../cli/work-folder.ts';
import { realEnvoy, wantedEnvoy } from './real-envoy.ts';

function made(proxyConfig: object, options: Partial<MakeBootstrapOptions> = {}, env: object = {}, role = 'sidecar'): MadeBootstrap {
  const values = { POD_NAMESPACE: 'demo', ISTIO_META_CLUSTER_ID: 'Kubernetes', PROXY_CONFIG: JSON.stringify(proxyConfig), ...env };
  const proxy = {
    name: 'istio-proxy',
    args: ['proxy', role],
    env: Object.entries(values).map(([name, value]: [string, unknown]) => ({ name, value })),
  };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'demo' }, spec: { containers: [proxy] } };
  const manifest = readManifest({ name: 'pod.yaml', bytes: Buffer.from(JSON.stringify(pod)) });
  const [workload] = manifest.workloads;
  if (!workload) throw new Error('no proxy');
  return makeBootstrap(manifest, workload, { shape: 'pilot-agent', podIps: ['10.0.0.7'], ...options });
}

/** Envoy's refusal, strict and with pilot-agent's flag. */
async function reasons({ bootstrap }: MadeBootstrap): Promise<readonly (readonly string[])[]> {
  const envoy = await realEnvoy();
  const both = [[], ['--allow-unknown-static-fields']].map((args) => validateBootstrap({ bootstrap, envoy, args }));
  return (await Promise.all(both)).map((result) => result.reasons);
}

const tracing = { zipkin: { address: 'localhost:9411' } };
const services = {
  envoyMetricsService: { address: 'localhost:1', tcpKeepalive: { time: '10s' } },
  envoyAccessLogService: { address: 'localhost:2' },
};
const stats = { proxyStatsMatcher: { inclusionPrefixes: ['http'] }, extraStatTags: ['t'] };

describe.concurrent("stock Envoy takes pilot-agent's bootstrap as we make it", () => {
  it.each(releaseLines)('of %s', async (istioVersion) => {
    expect(await reasons(made({}, { istioVersion }))).toEqual([[], []]);
    expect(await reasons(made({ tracing, ...services, ...stats }, { istioVersion }))).toEqual([[], []]);
  });

  it('with two address families', async () => {
    expect(await reasons(made({}, { podIps: ['10.0.0.7', 'fd00::7'] }, { ISTIO_DUAL_STACK: 'true' }))).toEqual([[], []]);
  });

  it('with metrics over mTLS and knowledge of itself', async () => {
    expect(await reasons(made({}, {}, { ENVOY_SECURE_METRICS_PORT: '15092', ISTIO_META_ENABLE_SELF_DISCOVERY: 'true' }))).toEqual([[], []]);
  });

  it('with an override as Envoy merges it by itself', async () => {
    const text =
      '{"static_resources":{"clusters":[{"name":"other","type":"STATIC","connect_timeout":"1s","load_assignment":{"cluster_name":"other"}}]}}';
    expect(await reasons(made({}, { override: { text, at: { file: 'o.json' } } }, { ISTIO_BOOTSTRAP_OVERRIDE: '/o' }))).toEqual([[], []]);
  });

  it('but not that of a waypoint, whose extension only Istio builds into its Envoy', async () => {
    const [strict, lenient] = await reasons(made({}, {}, {}, 'waypoint'));
    expect([strict, lenient]).toEqual([[expect.stringContaining('metadata_discovery')], [expect.stringContaining('metadata_discovery')]]);
  });
});

const cases = join(import.meta.dirname, '../../../shared/cases');
const verdicts = existsSync(cases) ? [...allVerdicts(readFileSync(join(cases, 'VALIDATE.md'), 'utf8'))] : [];
if (verdicts.length === 0) console.log("Envoy's verdicts on real bootstraps are not compared: there is no ../shared/cases");

interface Verdict {
  readonly file: string;
  readonly taken: boolean;
  /** With pilot-agent's flag. */
  readonly takenLeniently: boolean;
}

/** The first table: file, rc, message, warnings, rc with the flag, message. */
function* allVerdicts(text: string): Generator<Verdict> {
  for (const [, file = '', rc, lenient] of text.matchAll(/^\| (\S+\/\S+\.(?:json|ya?ml)) \| (\d) \|.*?\| \d+ \| (\d?) \|/gm)) {
    yield { file, taken: rc === '0', takenLeniently: lenient === '' || lenient === '0' };
  }
}

describe.skipIf(verdicts.length === 0).concurrent('check says of a real bootstrap what Envoy says', () => {
  it('of every one', () => expect(verdicts.length).toBeGreaterThan(50));

  it.each(verdicts.filter(({ file }) => existsSync(join(cases, file))))('$file', async ({ file, taken, takenLeniently }) => {
    const { code, stdout, stderr } = await cli(['check', join(cases, file), '--envoy', wantedEnvoy], { env: process.env });
    if (taken) {
      expect(stdout).toMatch(/Envoy [\d.]+ takes it/);
      expect(stdout).not.toContain('refuses it');
    } else {
      // What is no bootstrap is not shown to an Envoy; what cannot be read is an error.
      expect([1, 2]).toContain(code);
      expect(`${stdout}${stderr}`).toMatch(
        /refuses it|is a Kubernetes ConfigMap|v1 API|looks like a template|not valid YAML|nothing says what this is/,
      );
      if (takenLeniently) expect(stdout).toMatch(/--allow-unknown-static-fields Envoy (may start on it|takes it)/);
    }
  });
});

// Not concurrent: a folder is removed when the test that is just running ends.
describe('check with a real Envoy', () => {
  it('warns of the flag with which Envoy leaves out what it does not know', async () => {
    const folder = workFolder({ 'b.yaml': 'admin: {}\nunheard_of: 1\n' });
    const { code, stdout } = await cli(['check', join(folder, 'b.yaml'), '--envoy', wantedEnvoy], { env: process.env });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /refuses it: .*With pilot-agent's --allow-unknown-static-fields Envoy takes it, and silently leaves out what it does not know/,
    );
  });

  it.each(['#', '//'])('finds a comment in what Envoy reads as JSON: %s', async (mark) => {
    const folder = workFolder({ 'b.json': `{\n  ${mark} mine\n  "admin": {}\n}\n` });
    const { code, stdout } = await cli(['check', join(folder, 'b.json'), '--envoy', wantedEnvoy], { env: process.env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/b\.json:2:3: there is a comment in a file that Envoy reads as JSON by its ending/);
  });
});
