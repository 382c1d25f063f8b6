import { createServer } from 'node:net';
import { FakeIstiodError } from '../errors.ts';

/**
 * A port of 127.0.0.1 that nobody listens on just now: that one, or any for 0.
 *
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`
 */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => reject(refused(wanted, error)));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function refused(port: number, cause: NodeJS.ErrnoException): FakeIstiodError {
  const remedy = 'Name another port, or none: then a free one is taken';
  if (cause.code !== 'EADDRINUSE')
    return new FakeIstiodError('port.forbidden', `port ${port} cannot be had: ${cause.message}`, { cause, remedy });
  return new FakeIstiodError('port.in-use', `somebody listens on port ${port} of 127.0.0.1, and the lab begins without an istiod`, {
    cause,
    remedy,
  });
}
