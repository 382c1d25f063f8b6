// Read by the server under test before anything else: tells on request how long its event loop stood still, and what memory it has left.
const { existsSync, readFileSync } = require('node:fs');
const { performance } = require('node:perf_hooks');

const tickMs = 2;
/** Linux tells the time of the main thread alone in /proc, in ticks of which there are 100 a second. */
const threadStat = `/proc/self/task/${process.pid}/stat`;
const clockTickMs = 10;
const processor = existsSync(threadStat) ? { ms: threadMs, coarseMs: clockTickMs } : { ms: processMs, coarseMs: 0 };

function threadMs() {
  const fields = readFileSync(threadStat, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * clockTickMs;
}

/** Elsewhere: of the whole process, its other threads included. */
function processMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const none = { stallMs: 0, wallMs: 0, cpuMs: 0 };
let wall = performance.now();
let cpu = processor.ms();
let longest = none;

/**
 * Of the time between two ticks what the main thread had of the processor, too: on a machine with other work it waits for its turn, which is
 * no fault of its own. The smaller of the two counts.
 */
function look() {
  const wallMs = performance.now() - wall - tickMs;
  const cpuMs = processor.ms() - cpu;
  const stallMs = Math.min(wallMs, cpuMs + processor.coarseMs);
  if (stallMs > longest.stallMs) longest = { stallMs, wallMs, cpuMs };
  wall += wallMs + tickMs;
  cpu += cpuMs;
}

setInterval(look, tickMs).unref();

const later = () => new Promise((resolve) => setTimeout(resolve, 20));

async function resident() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await later();
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed };
}

process.on('message', ({ id, ask }) => {
  look();
  const stall = longest;
  longest = none;
  if (ask === 'stall') return process.send({ id, stall });
  void resident().then((memory) => {
    look();
    longest = none;
    process.send({ id, ...memory });
  });
});
// Without those who asked it, it is of no use.
process.on('disconnect', () => process.exit());
process.channel.unref();
