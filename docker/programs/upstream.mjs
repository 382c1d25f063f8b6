// The tiny upstream of docker-compose.yml: says hello on port 8080 (or $PORT) until it is told to stop.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain' }).end('hello from upstream\n');
});
server.listen(Number(process.env.PORT ?? 8080), '0.0.0.0', () => process.stdout.write('the upstream listens\n'));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
