// Puts the frames of a real run into docs/ads-flow.md, between `<!-- frames: VARIANT -->` and `<!-- end -->`.
//
//   node tools/ads-flow.mjs           run `ready` for both variants and write the frames
//   node tools/ads-flow.mjs --check   run it and compare what was asked and answered; exit 1 and say how they differ
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs/ads-flow.md');
const block = (variant) => new RegExp(`(<!-- frames: ${variant} -->\\n)[^]*?(<!-- end -->)`);

function timelineOf(variant) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-ads-flow-'));
  try {
    const command = [join(root, 'dist/bin/fake-istiod.js'), 'run', 'ready', '--variant', variant, '--report', folder, '--json'];
    execFileSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] });
    const lines = readFileSync(join(folder, 'timeline.ndjson'), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The fields of a message that are not empty, as `name: value`, a line each. */
function fields(pairs) {
  return pairs
    .filter(([, value]) => value !== undefined && value.length > 0)
    .map(([name, value]) => `   ${name}: ${Array.isArray(value) ? value.join(', ') : value}`);
}

function frameText(event, isFirst) {
  const delta = event.variant === 'delta';
  if (event.event === 'request.received') {
    const names = delta ? 'resource_names_subscribe' : 'resource_names';
    return [
      `→ ${delta ? 'DeltaDiscoveryRequest' : 'DiscoveryRequest'} (${event.type}, ${event.outcome})`,
      ...fields([
        ['node.id', isFirst ? event.node : undefined],
        ['type_url', event.typeUrl],
        ['version_info', event.version],
        [names, event.names],
        ['resource_names_unsubscribe', event.unsubscribed],
        ['response_nonce', event.nonce],
      ]),
    ];
  }
  const version = delta ? 'system_version_info' : 'version_info';
  return [
    `← ${delta ? 'DeltaDiscoveryResponse' : 'DiscoveryResponse'} (${event.type})`,
    ...fields([
      ['type_url', event.typeUrl],
      [version, event.version],
      ['resources', event.names],
      ['removed_resources', event.removed],
      ['nonce', event.nonce],
    ]),
  ];
}

function framesOf(timeline) {
  const frames = timeline.filter(({ event }) => event === 'request.received' || event === 'response.sent');
  return frames
    .map((event, i) => [`${String(i + 1).padStart(2)}. ${event.atMs.toFixed(0)} ms`, ...frameText(event, i === 0)].join('\n   '))
    .join('\n\n');
}

/** What the frames say, whatever the time, the nonce and the order in which Envoy's answers cross ours. */
function essence(text) {
  const timeless = text.replace(/\d{4}-\d\d-\d\dT[\d:]+Z\/\d+[0-9a-f-]*/g, '<version>').replace(/^ *\d+\. \d+ ms$/gm, '');
  return timeless
    .split(/\n\n/)
    .map((frame) => frame.trim())
    .sort()
    .join('\n\n');
}

const isCheck = process.argv.includes('--check');
let text = readFileSync(page, 'utf8');
let differs = false;
for (const variant of ['sotw', 'delta']) {
  const frames = `\`\`\`text\n${framesOf(timelineOf(variant))}\n\`\`\`\n`;
  const old = block(variant).exec(text)?.[0];
  if (old === undefined) throw new Error(`docs/ads-flow.md has no block for ${variant}`);
  const made = old.replace(block(variant), (_, start, end) => `${start}${frames}${end}`);
  if (essence(old) !== essence(made)) {
    differs = true;
    if (isCheck) console.error(`docs/ads-flow.md: the frames of ${variant} are not what a run shows now:\n${frames}`);
  }
  text = text.replace(old, () => made);
}
if (!isCheck) writeFileSync(page, text);
else if (differs) {
  console.error('Run `npm run docs:frames`, read the page once more, and commit it.');
  process.exitCode = 1;
}
