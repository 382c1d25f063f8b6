// The network between Envoy and istiod in the Compose profile broken-network: a relay that needs no privileges. It goes by the moments that
// the scenario marks in istiod's timeline.
//
//   network-refused   nothing listens: every connection is refused, those that are there are reset (how it begins)
//   network-silent    connections are accepted, and nothing ever comes back
//   network-up        connections go through
//
//   CONTROL, FAKE_ISTIOD_CONTROL_TOKEN  the control API of istiod      TO  its host      PORTS  which ports, e.g. 15012,15010
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { TextDecoder } from 'node:util';

const { CONTROL = 'http://istiod:15080', FAKE_ISTIOD_CONTROL_TOKEN: token, TO = 'istiod', PORTS = '15012,15010' } = process.env;
const modes = ['network-refused', 'network-silent', 'network-up'];
const sockets = new Set();
let mode = modes[0];

function relay(port) {
  const keep = (socket) => {
    sockets.add(socket);
    // Which of the two ends first does not matter: both go.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  return createServer((near) => {
    keep(near);
    if (mode === 'network-silent') return near.resume();
    const far = keep(connect(port, TO));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
}

const servers = PORTS.split(',').map((port) => ({ port: Number(port), server: relay(Number(port)) }));

function changeTo(wanted) {
  mode = wanted;
  process.stdout.write(`${mode}\n`);
  // A connection of before is not of this network any more.
  for (const socket of sockets) socket.resetAndDestroy();
  for (const { port, server } of servers) {
    if (mode === 'network-refused') server.close();
    else if (!server.listening) server.listen(port, '0.0.0.0');
  }
}

/** Goes by the moments as they are marked, those of before first. Ends with the stream of events. */
async function follow() {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const { ok, status, body } = await fetch(`${CONTROL}/events/stream?event=moment.marked`, { headers });
  if (!ok) throw new Error(`${CONTROL} answered ${status}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines.filter((each) => each.startsWith('data: '))) {
      const { moment } = JSON.parse(line.slice('data: '.length));
      if (modes.includes(moment) && moment !== mode) changeTo(moment);
    }
  }
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
process.stdout.write(`${mode}\n`);
for (;;) {
  await follow().catch((error) => process.stdout.write(`no word of istiod: ${error.cause?.message ?? error.message}\n`));
  await pause(1_000);
}
