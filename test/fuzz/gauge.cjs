// Read by the server under test before anything else: tells on request how long its event loop stood still, and what memory it has left.
const { performance } = require('node:perf_hooks');

const tickMs = 2;
let wall = performance.now();
let cpu = process.cpuUsage();
let longest = 0;

/**
 * Of the time between two ticks what this process had of the processor, too: on a machine with other work a process waits for its turn,
 * which is no fault of its own.
 */
function look() {
  const now = performance.now();
  const spent = process.cpuUsage(cpu);
  longest = Math.max(longest, Math.min(now - wall - tickMs, (spent.user + spent.system) / 1000));
  wall = now;
  cpu = process.cpuUsage();
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
  const stallMs = longest;
  longest = 0;
  if (ask === 'stall') return process.send({ id, stallMs });
  void resident().then((memory) => {
    look();
    longest = 0;
    process.send({ id, ...memory });
  });
});
process.channel.unref();
