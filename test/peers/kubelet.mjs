// Probes as kubelet does: `node kubelet.mjs name=url…`. Prints `name answer` whenever the answer is another one than before. An answer is the
// status and, if there is one, the body (`503 PRE_INITIALIZING`), `refused`, or `no answer`.
import { get } from 'node:http';

/** Kubernetes' charts say 1 s; a test is in more of a hurry. */
const periodMs = 200;
/** As Kubernetes' charts say. */
const timeoutMs = 3_000;

function probe(url) {
  return new Promise((resolve) => {
    const sent = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (piece) => (body += piece));
      response.on('end', () => resolve(`${response.statusCode} ${body.trim()}`.trim()));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', ({ code }) => resolve(code === 'ECONNREFUSED' ? 'refused' : 'no answer'));
  });
}

function watch(name, url, before) {
  probe(url).then((answer) => {
    if (answer !== before) process.stdout.write(`${name} ${answer}\n`);
    setTimeout(watch, periodMs, name, url, answer);
  });
}

for (const [name, url] of process.argv.slice(2).map((arg) => arg.split(/=(.*)/))) watch(name, url);
