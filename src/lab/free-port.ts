import { createServer } from 'node:net';
import { FakeIstiodError } from '../errors.ts';

/** A port of 127.0.0.1 that nobody listens on just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause) => reject(new FakeIstiodError('port.forbidden', `no port can be had: ${cause.message}`, { cause })));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
