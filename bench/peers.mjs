// `npm run bench:peers`: fake-istiod beside go-control-plane, side by side in one run. `--short` takes fewer and smaller rounds and judges
// nothing; `--write` puts tables and plots into docs/; `--only WORD` takes the rows that have the word; `--library FILE` another build of ours.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { envoyFigures } from './peers/envoy.mjs';
import { plot } from './peers/plot.mjs';
import { built, measure, pinned } from './peers/programs.mjs';
import { growthsOf, judged, rowsOf } from './peers/rows.mjs';
import { median } from './samples.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    library: { type: 'string', default: join(root, 'dist/lib/index.js') },
  },
});
if (!existsSync(options.library)) throw new Error(`there is no ${options.library}: run \`npm run build\``);
const programs = { folder: built(), library: options.library };
const repeats = options.short ? 1 : 3;
const wanted = ({ name, title }) => options.only === undefined || (name ?? title).includes(options.only);
const say = (text) => process.stderr.write(`${text}\n`);

/** All take turns, `times` each, so that a busy moment hits all. */
async function alternating(times, work, ...peers) {
  const all = ['ours', ...peers];
  const seen = new Map(all.map((who) => [who, []]));
  for (let round = 0; round < times; round += 1) {
    for (const who of round % 2 === 0 ? all : all.toReversed()) seen.get(who).push(await measure(who, work, programs));
  }
  checkSame(work, seen.get('ours'), seen.get(peers[0]));
  return all.map((who) => seen.get(who));
}

/** Both must have sent the same: as many resources, and in SotW as many bytes but for versions and nonces; in delta the peer adds a hash to each. */
function checkSame({ variant }, [ours], [theirs]) {
  if (ours.messageBytes === undefined) return;
  const spare = variant === 'delta' ? Infinity : 200 + theirs.messageBytes * 0.02;
  if (ours.resources !== theirs.resources || Math.abs(ours.messageBytes - theirs.messageBytes) > spare)
    throw new Error(`not the same was sent: ${JSON.stringify([ours, theirs])}`);
}

async function takeRows() {
  const lines = [];
  for (const row of rowsOf(options).filter(wanted)) {
    say(`bench: ${row.name}`);
    const seen = await alternating(repeats, row.work, row.peer, ...(row.bare ? ['bare'] : []));
    lines.push(...judged(row, ...seen).map((figure) => ({ name: row.name, ...figure })));
  }
  return lines;
}

/** Resources in bytes, as we encode them. */
async function encodedClusters(count, bytes) {
  const { startFakeIstiod } = await import(pathToFileURL(options.library).href);
  const { made } = await import('./peers/resources.mjs');
  const istiod = await startFakeIstiod();
  try {
    istiod.publish({ clusters: Array.from({ length: count }, (_, index) => made('clusters', index, bytes, 1)) });
    return istiod.snapshot().types[0].resources.map(({ value }) => value);
  } finally {
    await istiod.stop();
  }
}

function envoyPath() {
  const command = join(root, 'dist/bin/fake-istiod.js');
  spawnSync(process.execPath, [command, 'envoy', 'install'], { stdio: 'ignore' });
  const { stdout, stderr } = spawnSync(process.execPath, [command, 'envoy', 'which', '--json'], { encoding: 'utf8' });
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout).used.path;
}

async function takeEnvoy() {
  const name = 'one node’s 10 000 clusters to LIVE in Envoy, against its filesystem subscription';
  if (!wanted({ name })) return [];
  say(`bench: ${name}`);
  const figures = await envoyFigures({ envoy: envoyPath(), programs, rounds: options.short ? 1 : 5, values: encodedClusters });
  return figures.map((figure) => ({ name, ...figure }));
}

async function takeGrowths() {
  const taken = [];
  for (const growth of growthsOf(options).filter(wanted)) {
    const points = [];
    for (const size of growth.sizes) {
      say(`bench: ${growth.title}: ${size} ${growth.unit}`);
      const work = growth.work(size);
      const [ours, theirs] = await alternating(1, work, 'snapshot');
      const took = (seen) => (work.streams / median(seen.flatMap(({ pushesPerSecond }) => pushesPerSecond))) * 1000;
      points.push({ size, ours: took(ours), theirs: took(theirs) });
    }
    taken.push({ ...growth, points });
  }
  return taken;
}

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function rowsTable(lines) {
  const cells = ({ name, what, ours, theirs, bare = '', ratio, goal, verdict }) => [
    `${name}: ${what}`,
    ours,
    theirs,
    ratio,
    goal,
    verdict,
    bare,
  ];
  return table(['work', 'fake-istiod', 'peer', 'ratio', 'goal', 'verdict', 'grpc-js alone'], lines.map(cells));
}

function growthTable({ title, unit, points }) {
  const ms = (value) => value.toFixed(value < 10 ? 2 : 0);
  const cells = ({ size, ours, theirs }) => [size, ms(ours), ms(theirs), `${(ours / theirs).toFixed(2)} ×`];
  return `${title}, in ms:\n\n${table([unit, 'fake-istiod', 'go-control-plane', 'ratio'], points.map(cells))}`;
}

function machine() {
  const go = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).stdout?.trim() ?? 'Go';
  const cores = pinned ? 'server on one core, clients on another' : 'not pinned to cores';
  return `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release().split('-')[0]}, Node ${process.versions.node}, ${go}; ${cores}; ${repeats} × ${options.short ? 3 : 10} rounds in turns, medians (growth: 1 × ${options.short ? 2 : 5}).`;
}

function pageOf(lines, growths) {
  const plots = growths.map((growth) => `${growthTable(growth)}\n\n![${growth.title}](figures/${growth.file}.svg)`);
  return [rowsTable(lines), `Measured on ${machine()}`, ...plots].join('\n\n');
}

function write(page, growths) {
  const file = join(root, 'docs/performance.md');
  const [begin, end] = ['<!-- bench:peers begins -->', '<!-- bench:peers ends -->'];
  const text = readFileSync(file, 'utf8');
  if (!text.includes(begin) || !text.includes(end)) throw new Error(`${file} lacks ${begin} or ${end}`);
  writeFileSync(file, `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${page}\n\n${text.slice(text.indexOf(end))}`);
  mkdirSync(join(root, 'docs/figures'), { recursive: true });
  for (const { file: name, title, unit, points } of growths) {
    const of = (key) => points.map((point) => [point.size, point[key]]);
    const series = [
      { name: 'fake-istiod', points: of('ours') },
      { name: 'go-control-plane', points: of('theirs') },
    ];
    writeFileSync(join(root, `docs/figures/${name}.svg`), plot({ title, xTitle: unit, yTitle: 'ms', series }));
  }
  spawnSync('npx', ['prettier', '--write', '--log-level', 'warn', file], { cwd: root, stdio: 'inherit' });
}

const lines = [...(await takeRows()), ...(await takeEnvoy())];
const growths = await takeGrowths();
const page = pageOf(lines, growths);
process.stdout.write(`${page}\n`);
if (options.write) write(page, growths);
const missed = lines.filter(({ verdict }) => verdict.includes('missed')).length;
if (missed > 0) say(`bench: ${missed} goals missed${options.short ? '; a short run proves nothing' : ''}`);
process.exitCode = missed > 0 && !options.short ? 1 : 0;
