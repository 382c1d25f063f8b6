// What every server in Node has that the load client tells what to do: a control port that takes lines, and what the kernel counts.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Memory and CPU time of this process so far. */
function usage() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const field = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
  const { user, system } = process.cpuUsage();
  return JSON.stringify({ rssKiB: field('VmRSS'), peakKiB: field('VmHWM'), cpuUs: user + system });
}

function answerTo(line, verbs) {
  const [verb, ...words] = line.split(' ');
  if (verb === 'usage') return usage();
  if (!Object.hasOwn(verbs, verb)) throw new Error(`what is "${line}"`);
  verbs[verb](...words);
  return 'ok';
}

/** Does what lines on a control port say, `verbs` by their first word, and prints where everything listens: `ports`, and that port. */
export function obey(ports, verbs) {
  const control = createServer((socket) => {
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', (line) => {
      let answer;
      try {
        answer = answerTo(line, verbs);
      } catch (error) {
        answer = `error: ${error.message}`;
      }
      socket.write(`${answer}\n`);
    });
  });
  control.listen(0, '127.0.0.1', () =>
    process.stdout.write(`${JSON.stringify({ ...ports, control: `127.0.0.1:${control.address().port}` })}\n`),
  );
}
