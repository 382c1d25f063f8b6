// fake-istiod as the load client's counterpart: told by lines on a control port what to serve, as the server beside this file is.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { made } from './resources.mjs';

const { startFakeIstiod } = await import(pathToFileURL(process.argv[2]).href);
const istiod = await startFakeIstiod({ bind: ['127.0.0.1'] });

/** What `publish` will do. */
let next = () => undefined;

function usage() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
  const { user, system } = process.cpuUsage();
  return JSON.stringify({ rssKiB: field('VmRSS'), peakKiB: field('VmHWM'), cpuUs: user + system });
}

function perform(line) {
  const [verb, kind, ...numbers] = line.split(' ');
  const [count, size, round] = numbers.map(Number);
  if (verb === 'usage') return usage();
  if (verb === 'prepare') {
    const resources = Array.from({ length: count }, (_, index) => made(kind, index, size, round));
    next = () => istiod.publish({ [kind]: resources });
  } else if (verb === 'prepare-change') {
    const resource = made(kind, count, size, round);
    next = () => istiod.update({ set: { [kind]: [resource] } });
  } else if (verb === 'publish') next();
  else throw new Error(`what is "${line}"`);
  return 'ok';
}

const control = createServer((socket) => {
  socket.on('error', () => undefined);
  createInterface({ input: socket }).on('line', (line) => {
    let answer;
    try {
      answer = perform(line);
    } catch (error) {
      answer = `error: ${error.message}`;
    }
    socket.write(`${answer}\n`);
  });
});
control.listen(0, '127.0.0.1', () => {
  const xds = `127.0.0.1:${istiod.port}`;
  process.stdout.write(`${JSON.stringify({ plain: xds, secure: xds, control: `127.0.0.1:${control.address().port}` })}\n`);
});
// Somebody who profiles ends it so, that the profile is written.
process.on('SIGINT', () => process.exit(0));
