// `npm run fuzz`: throws random and mutated bytes at a server of this checkout, and fails if it crashes, stands still or keeps what it need not.
//   --seconds N   how long (default 60)
//   --seed N      the same seed makes the same bytes (default: any; it is printed)
//   --only WORD   only attacks whose name begins so
//   --at N        only the attack of this number
//   --crowds      only what many clients do at once
import { parseArgs } from 'node:util';
import { attacks } from '../test/fuzz/attacks.mjs';
import { crowds, settled } from '../test/fuzz/crowds.mjs';
import { health } from '../test/fuzz/grpc-call.mjs';
import { randomOf } from '../test/fuzz/random.mjs';
import { startServer } from '../test/fuzz/server.mjs';
import { stallText } from '../test/fuzz/stall-text.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    only: { type: 'string' },
    at: { type: 'string' },
    crowds: { type: 'boolean' },
  },
});
const seconds = values.crowds ? 0 : Number(values.seconds);
const seed = Number(values.seed ?? Date.now() % 1_000_000);

const maxStallMs = 100;
const maxGrowth = 0.02;
/** By then the heap has found its size. */
const steadySeconds = 300;
const maxMessageBytes = 4 * 1024 * 1024;
const samples = 16;
const volleySize = 8;
/** No attack takes longer: the slowest waits 5 s for its answer, others beside it. */
const attackMs = 20_000;
/** What a run may take beside its seconds: the crowds, and a last volley in which each attack is tried again. */
const besideMs = 240_000;

const chosen = values.only ? attacks.filter(({ name }) => name.startsWith(values.only)) : attacks;
const drawn = chosen.flatMap((attack) => Array.from({ length: attack.share }, () => attack));
const mebibytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
const say = (text) => process.stdout.write(`${text}\n`);

const tally = new Map();

/** One attack, told by its number alone. Resolves with how long the server stood still and what was done. */
async function attack(server, number) {
  const random = randomOf(seed * 7919 + number);
  const { name, run } = random.pick(drawn);
  if (process.env.FUZZ_TRACE) say(`${number} ${name}`);
  const running = run({ random, port: server.port, control: server.control, index: number });
  const what = await within(attackMs, running, `attack ${number} (${name}) is not over after ${attackMs / 1000} s`);
  return { number, name, what, stall: await server.stall() };
}

/** What `promise` resolves with. Error `late` if it does not in time. */
async function within(ms, promise, late) {
  let timer;
  const over = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(late)), ms)));
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

const tooLong = ({ stall }) => stall.stallMs > maxStallMs;

function count({ name, stall }) {
  const { count, longest } = tally.get(name) ?? { count: 0, longest: stall };
  tally.set(name, { count: count + 1, longest: longest.stallMs > stall.stallMs ? longest : stall });
}

/** A stall counts if the same bytes, alone, stall the server three times: the first time it may have loaded or compiled something. */
async function judged(server, number) {
  const tries = [];
  for (let i = 0; i < 3; i++) {
    tries.push(await attack(server, number));
    if (!tooLong(tries.at(-1))) break;
  }
  const shortest = tries.sort((a, b) => a.stall.stallMs - b.stall.stallMs)[0];
  count(shortest);
  return shortest;
}

/** Several attacks at once; each alone, should the server have stood still. Resolves with those that make it do so. */
async function volley(server, from, size) {
  const numbers = Array.from({ length: size }, (_, i) => from + i);
  const all = await Promise.all(numbers.map((number) => attack(server, number)));
  if (!all.some(tooLong)) {
    all.forEach(count);
    return [];
  }
  const stalls = [];
  for (const number of numbers) {
    const alone = await judged(server, number);
    if (tooLong(alone)) stalls.push(alone);
  }
  return stalls;
}

async function remembered(server) {
  await settled(server.port);
  return server.memory();
}

/** By how much the line through `values` rises from its first to its last, as a share of the mean. */
function growth(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = (values.length - 1) / 2;
  const sum = (of) => values.reduce((total, value, i) => total + of(value, i - middle), 0);
  return ((sum((value, x) => x * (value - mean)) / sum((_, x) => x * x)) * (values.length - 1)) / mean;
}

/** Says a last word and ends, whatever sockets are left. The server ends, too: it hears of it. */
function end(code, words) {
  process.stdout.write(`${words}\n`, () => process.exit(code));
}

async function main() {
  say(`seed ${seed}, ${seconds} s`);
  const server = await startServer(maxMessageBytes);
  const faults = [];
  const began = performance.now();
  const memory = [];
  let number = Number(values.at ?? 0);
  try {
    while (faults.length < 30) {
      if (values.at !== undefined) {
        const { name, what, stall } = await judged(server, number);
        say(`${name}: ${what}: ${stallText(stall)}`);
        break;
      }
      for (const { number: at, name, what, stall } of await volley(server, number, volleySize)) {
        faults.push(`attack ${at} (${name}) made the event loop stand still for ${stallText(stall)}: ${what}`);
      }
      number += volleySize;
      const passed = (performance.now() - began) / 1000;
      if (passed > ((memory.length + 1) * seconds) / samples) memory.push(await remembered(server));
      if (passed > seconds) break;
    }
    if (values.at === undefined && !values.only) faults.push(...(await crowds({ server, random: randomOf(seed), say })));
    if ((await health(server.port)) !== '0') faults.push('it answers no health check any longer');
  } catch (error) {
    faults.push(`attack ${number}: ${error.message}`);
  }
  if (server.words) faults.push(`it complained: ${server.words}`);
  await server.stop();
  return { faults, memory, number };
}

setTimeout(() => end(1, `FAULT the run is not over after ${seconds} + ${besideMs / 1000} s`), seconds * 1000 + besideMs).unref();
const { faults, memory, number } = await main();
const tail = memory.slice(-samples / 2);
if (values.at === undefined && tail.length >= samples / 2) {
  const rss = growth(tail.map((sample) => sample.rss));
  const heap = growth(tail.map((sample) => sample.heapUsed));
  say(
    `memory over the last half: rss ${mebibytes(tail[0].rss)} to ${mebibytes(tail.at(-1).rss)}, ${(rss * 100).toFixed(2)} %; heap ${mebibytes(tail[0].heapUsed)} to ${mebibytes(tail.at(-1).heapUsed)}, ${(heap * 100).toFixed(2)} %`,
  );
  if (seconds < steadySeconds) say(`that is judged in runs of ${steadySeconds} s and more: before, the heap still finds its size`);
  else if (rss > maxGrowth)
    faults.push(`its memory grows: ${(rss * 100).toFixed(2)} % over the last half of the run, where ${maxGrowth * 100} % are allowed`);
}
for (const [name, { count, longest }] of tally) say(`${name}: ${count}, longest stall ${stallText(longest)}`);
for (const fault of faults) say(`FAULT ${fault}`);
end(faults.length > 0 ? 1 : 0, `${number} attacks, ${faults.length} faults${faults.length > 0 ? `; again with --seed ${seed}` : ''}`);
