// The server under test: the library of this checkout, with a short memory for what has happened, so that what else it keeps shows.
const [, , library, maxMessageBytes] = process.argv;
const { startFakeIstiod } = require(library);

const clusters = Array.from({ length: 50 }, (_, i) => ({ name: `n${i}`, connect_timeout: '1s', type: 'STATIC' }));

process.on('uncaughtException', (error) => {
  process.stderr.write(`uncaught: ${error.stack}\n`);
  process.exit(70);
});

startFakeIstiod({
  serve: { clusters },
  journal: { events: 200, eventBytes: 1024 * 1024, messageBytes: 1024 * 1024 },
  maxMessageBytes: Number(maxMessageBytes),
  control: {},
  bind: ['127.0.0.1'],
  onEvent: (event) => event.event === 'server.failed' && process.stderr.write(`server.failed: ${event.reason}\n`),
}).then(({ port, control }) => process.send({ port, control: control.url }));
