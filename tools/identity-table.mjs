// Makes the table "what you see → which gate" of docs/identity.md from real runs, between `<!-- gates -->` and `<!-- end -->`.
//
//   node tools/identity-table.mjs           run the scenarios of identity (delta, Envoy 1.40.0) and write the table
//   node tools/identity-table.mjs --check   run them and compare; exit 1 and say which rows differ
//
// By hand are the names of the gates alone; everything else in a row is in the report folder of its run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs/identity.md');
const block = /(<!-- gates -->\n)[^]*?(<!-- end -->)/;

/** In the order in which a caller meets them. */
const gates = {
  'server-cert-unknown-ca': '1 TLS: root of the server certificate',
  'server-cert-wrong-san': '1 TLS: name in the server certificate',
  'server-cert-expired': '1 TLS: date of the server certificate',
  'root-rotated': '1 TLS: root, after LIVE',
  'server-cert-runs-out': '1 TLS: date, after LIVE',
  'alpn-http1': '1 TLS: ALPN',
  'no-alpn': '1 TLS: ALPN (open for Envoy, closed for grpc-go)',
  'client-cert-demanded': '2 client certificate: none',
  'mtls-ready': '2 client certificate: passed',
  'not-ready-yet': '3 readiness of istiod',
  'rate-limited': '4 rate',
  'ads-refuses-ca-fine': '5 xDS, closed by script',
  'no-token': '6 token: none',
  'unknown-cluster-id': '6 token: cluster id',
  'reject-audience': '6 token: audience',
  'audience-heals-after-3': '6 token: audience that istiod wants',
  'expired-token-on-reconnect': '6 token: expiry, after LIVE',
  'missing-node': "7 node: none (Envoy's own gate)",
  'malformed-node': '7 node: form of the id',
  'identity-mismatch': '8 node against identity',
  'ca-refuses-ads-fine': '5 CA, closed by script',
};
/** Scenarios with one of these tags have to be in the table. */
const tagsOfIdentity = ['auth', 'tls', 'gate', 'not-ready', 'rate-limit', 'node'];

/** Events that say why somebody was not let in (or was, where nothing of the sort happened), the telling ones first. */
const reasons = {
  'handshake.failed': ({ reason }) => reason,
  'token.rejected': ({ reason }) => shortened(reason),
  'identity.mismatched': ({ text }) => text,
  'caller.turned-away': ({ service, reason }) => `${service}: ${reason}`,
  'stream.refused': ({ code, text }) => `${code}, ${text}`,
  'stream.closed': ({ by, code, text }) => (by === 'server' ? `${code}, ${text}` : undefined),
  'certificate.accepted': ({ identity }) => identity,
  'stream.opened': ({ secure }) => `secure: ${secure}`,
};

/** Counters that move when somebody is not let in. */
const counters = [
  'cluster_manager.cds.update_failure',
  'cluster_manager.cds.update_rejected',
  'cluster.xds-grpc.ssl.fail_verify_error',
  'cluster.xds-grpc.ssl.fail_verify_san',
  'cluster.xds-grpc.ssl.connection_error',
];

/** istiod's log line, less what is the same in all of them. */
function shortened(reason) {
  const token = /Authenticator KubeJWTAuthenticator: (.*)$/.exec(reason)?.[1] ?? reason;
  return token.replace(/^failed to validate the JWT .*: \[invalid bearer token, (.*)\]$/, '… [invalid bearer token, $1]');
}

function reportOf(folder, scenario) {
  const read = (name) => readFileSync(join(folder, name), 'utf8');
  const timeline = read('timeline.ndjson').trim().split('\n');
  return {
    scenario,
    timeline: timeline.map((line) => JSON.parse(line)),
    met: JSON.parse(read('result.json')).expectations.map(({ sentence }) => sentence),
    log: read('envoy.log').split('\n'),
    stats: new Map(
      read('stats.txt')
        .split('\n')
        .map((line) => line.split(': ')),
    ),
    ready: read('ready.txt').trim(),
  };
}

/** Runs the scenarios and gives the report of each; all have to come as expected. */
function reportsOf(scenarios) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-identity-'));
  const how = ['--variant', 'delta', '--envoy', '1.40.0', '--jobs', '2', '--report', folder, '--json'];
  try {
    execFileSync(process.execPath, [join(root, 'dist/bin/fake-istiod.js'), 'run', ...scenarios, ...how], {
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
    const folders = scenarios.length === 1 ? [folder] : scenarios.map((scenario) => join(folder, `${scenario}-delta`));
    return scenarios.map((scenario, i) => reportOf(folders[i], scenario));
  } catch (error) {
    if (error.stdout === undefined) throw error;
    throw new Error(failureText(error), { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failureText({ stdout, stderr }) {
  if (!stdout.toString().startsWith('{')) return stderr.toString();
  const failed = JSON.parse(stdout.toString()).runs.filter(({ ok }) => !ok);
  const lines = failed.flatMap(({ scenario, expectations, problems }) => {
    const sentences = expectations.filter(({ status }) => status !== 'met').map(({ sentence, reason }) => `${sentence} ${reason ?? ''}`);
    return [...sentences, ...problems.map((problem) => JSON.stringify(problem))].map((line) => `${scenario.name}: ${line}`);
  });
  return `these runs did not come as expected:\n${lines.join('\n')}`;
}

const troubles = Object.keys(reasons).filter((name) => !['stream.opened', 'certificate.accepted'].includes(name));

/** The state that Envoy is held in, and what lets it out. */
function stateText({ timeline }) {
  const exit = timeline.find(({ event }) => event === 'envoy.exited');
  if (exit) return `exits with ${exit.code}`;
  const trouble = timeline.findIndex((event) => troubles.includes(event.event) && reasons[event.event](event) !== undefined);
  const states = timeline
    .map(({ event, state }, index) => ({ event, state, index }))
    .filter(({ event }) => event === 'envoy.state-reached');
  const last = states.at(-1);
  if (trouble < 0) return code(last.state);
  const live = states.find(({ state }) => state === 'LIVE');
  if (live && live.index < trouble) return `${code(last.state)} before and after`;
  const held = states.find(({ state }) => state !== 'LIVE');
  if (!live) return `${code(held.state)} to the end`;
  return `${code(held?.state ?? 'not seen')}<br>LIVE ${healing(timeline) ?? 'by itself'}`;
}

/** What is done before Envoy becomes LIVE, but for what only brings the trouble about. */
function healing(timeline) {
  const live = timeline.findIndex(({ event, state }) => event === 'envoy.state-reached' && state === 'LIVE');
  const done = timeline
    .slice(0, live)
    .filter(({ event, sentence }) => event === 'command.performed' && !/^close |^let the proxy ask/.test(sentence));
  return done.length > 0 ? `after: ${done.map(({ sentence }) => sentence).join('; ')}` : undefined;
}

/** Envoy's readiness while it was held, if the scenario looks at it, and in the end. */
function readyText({ timeline, met, ready }) {
  if (timeline.some(({ event }) => event === 'envoy.exited')) return undefined;
  const end = ready.split(' ')[0];
  const looked = met.flatMap((sentence) => /^\/ready .*?\b(\d{3})\b/.exec(sentence)?.[1] ?? []);
  return looked.length > 0 ? `\`/ready\` ${[...new Set([...looked, end])].join(', then ')}` : `\`/ready\` ${end} in the end`;
}

/** What Envoy says most often of streams that ended; else its last words. */
function logText({ log }) {
  const ends = log.flatMap((line) => /gRPC config stream to xds-grpc closed(?: since \d+s ago)?: (.*)$/.exec(line)?.[1] ?? []);
  const counted = new Map();
  for (const end of ends.map(endText)) counted.set(end, (counted.get(end) ?? 0) + 1);
  // Our own end: the server stops while Envoy runs on.
  counted.delete('13, upstream_reset_after_response_started{connection_termination}');
  const [most] = [...counted].sort(([, a], [, b]) => b - a);
  if (most) return `\`closed: ${most[0]}\``;
  const last = log.findLast((line) => /\]\[critical\]/.test(line));
  return last && code((/error `?(.*?)`? initializing config/.exec(last)?.[1] ?? last).replace(/\. Set it .*$/, ''));
}

function endText(text) {
  const timeless = text.replace(/ \(previously .*$/, '');
  return timeless.replace(/^(\d+), .*TLS_error:\|\d+:SSL_routines:OPENSSL_internal:(.*?):TLS_error_end.*$/, '$1, … $2 …');
}

/** What the proxy's side heard of the CA, if it was nothing good. */
function caText({ timeline }) {
  const refused = timeline.find(({ event }) => event === 'certificate.refused');
  return refused && `CreateCertificate: ${code(`${refused.code}, ${refused.text}`)}`;
}

/** Counters that moved, and gauges that the scenario was right about. */
function statsText({ stats, met }) {
  const moved = counters.filter((name) => counts(stats, name)).map((name) => `${code(shortName(name))} grows`);
  const gauges = met
    .filter((sentence) => sentence.startsWith('The stat '))
    .flatMap((sentence) => [
      ...sentence.matchAll(
        /(\S*(?:warming_clusters|connected_state|cds\.update_success|ssl\.handshake)) (?:is|stays) (?:at least )?(\d+)/g,
      ),
    ])
    .map(([, name, value]) => `${code(shortName(name))} ${value}`);
  return [...moved, ...gauges].join(', ');
}

function counts(stats, name) {
  return Number(stats.get(name) ?? 0) > 0;
}

function shortName(name) {
  return name.replace(/^(cluster_manager|cluster\.xds-grpc|control_plane)\./, '');
}

function reasonText({ timeline }) {
  for (const [name, text] of Object.entries(reasons)) {
    const said = timeline.filter(({ event }) => event === name).map(text);
    const first = said.find((one) => one !== undefined);
    if (first !== undefined) return `${code(name)}<br>${code(first)}`;
  }
  return 'nothing: nobody connects';
}

function code(text) {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function rowOf(report) {
  const seen = [stateText(report), readyText(report), logText(report), caText(report), statsText(report)].filter(Boolean).join('<br>');
  const cells = [`[\`${report.scenario}\`](../scenarios/${report.scenario}.yaml)`, seen, reasonText(report), gates[report.scenario]];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function scenarioOf(row) {
  return /^\| \[`([^`]+)`/.exec(row)?.[1];
}

function checkThatAllAreThere() {
  const names = readdirSync(join(root, 'scenarios')).flatMap((file) => /^(.*)\.yaml$/.exec(file)?.[1] ?? []);
  const tagged = names.filter((name) => {
    const { tags = [] } = parse(readFileSync(join(root, `scenarios/${name}.yaml`), 'utf8'));
    return tags.some((tag) => tagsOfIdentity.includes(tag));
  });
  const odd = [...tagged.filter((name) => !(name in gates)), ...Object.keys(gates).filter((name) => !tagged.includes(name))];
  if (odd.length > 0)
    throw new Error(`either a scenario of identity without a gate in tools/identity-table.mjs, or the reverse: ${odd.join(', ')}`);
}

/** Runs the page's blocks that are marked as checked, and has the bootstrap beside it looked at. */
function checkCommands(text) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-identity-'));
  const blocks = [...text.matchAll(/^<!-- checked -->\n```sh\n([^]*?)^```$/gm)].map(([, commands]) => commands);
  if (blocks.length === 0) throw new Error('docs/identity.md has no commands to check');
  const command = `fake-istiod() { '${process.execPath}' '${join(root, 'dist/bin/fake-istiod.js')}' "$@"; }`;
  const results = ["grep -q 'Bearer ey' tokens/istio-token.json", `fake-istiod check '${join(root, 'docs/identity-envoy.yaml')}'`];
  const script = ['set -e', command, ...blocks, ...results].join('\n');
  try {
    execFileSync('bash', ['-c', script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`the commands in docs/identity.md do not work: ${error.stderr ?? error.message}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function main(isCheck) {
  checkThatAllAreThere();
  const text = readFileSync(page, 'utf8');
  const old = block.exec(text)?.[0];
  if (old === undefined) throw new Error('docs/identity.md has no block for the table');
  checkCommands(text);
  const oldRows = old.split('\n');
  let rows = reportsOf(Object.keys(gates)).map(rowOf);
  if (isCheck) {
    // A machine under load may show an Envoy too late; what is really different is different twice.
    const suspects = rows.filter((row) => !oldRows.includes(row)).map(scenarioOf);
    const again = suspects.length > 0 ? reportsOf(suspects).map(rowOf) : [];
    rows = rows.map((row) => again.find((one) => scenarioOf(one) === scenarioOf(row)) ?? row);
  }
  const head = ['| scenario | what you see of Envoy | what istiod says (event, reason) | which gate |', '| --- | --- | --- | --- |'];
  const made = `<!-- gates -->\n${[...head, ...rows].join('\n')}\n<!-- end -->`;
  if (!isCheck)
    return writeFileSync(
      page,
      text.replace(block, () => made),
    );
  if (made === old) return;
  for (const row of rows.filter((one) => !oldRows.includes(one))) {
    console.error(
      `a run shows\n  ${row}\nand docs/identity.md says\n  ${oldRows.find((one) => scenarioOf(one) === scenarioOf(row)) ?? 'nothing'}`,
    );
  }
  console.error('Run `npm run docs:identity`, read the page once more, and commit it.');
  process.exitCode = 1;
}

try {
  main(process.argv.includes('--check'));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
