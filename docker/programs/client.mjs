// The tiny client of docker-compose.yml. It shares the network namespace of its Envoy, as an application does in a pod, asks every listener
// that Envoy has for `/`, and tells when the answer becomes another one. It never ends by itself: the namespace is its own.
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const admin = process.env.ENVOY_ADMIN ?? 'http://127.0.0.1:15000';

/** Status and body of a GET, or what went wrong in its place. */
function get(url) {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false, timeout: 1_000 }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', (error) => resolve({ text: error.code ?? error.message }));
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString('utf8').trim() }));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (error) => resolve({ text: error.code ?? error.message }));
    sent.end();
  });
}

/** What Envoy says of itself, and what each of its listeners answers. */
async function look() {
  const ready = await get(`${admin}/ready`);
  if (ready.status === undefined) return [`no Envoy: ${ready.text}`];
  const { text } = await get(`${admin}/listeners?format=json`);
  const answers = listeners(text).map(async ({ name, port }) => {
    const answer = await get(`http://127.0.0.1:${port}/`);
    return `listener ${name}: ${answer.status ?? ''} ${answer.text}`.replace(/\s+/g, ' ');
  });
  return [`Envoy is ${ready.text}`, ...(await Promise.all(answers))];
}

function listeners(text) {
  try {
    const { listener_statuses: statuses = [] } = JSON.parse(text);
    return statuses.flatMap(({ name, local_address: address }) => {
      const port = address?.socket_address?.port_value;
      return port ? [{ name, port }] : [];
    });
  } catch {
    return [];
  }
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
let told = '';
for (;;) {
  const seen = (await look()).join(', ');
  if (seen !== told) process.stdout.write(`${seen}\n`);
  told = seen;
  await pause(500);
}
