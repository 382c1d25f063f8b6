import { createServer, type AddressInfo } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import type { AgentPorts } from './options.ts';

/** The ports that Envoy is going to listen on: pilot-agent's defaults, and a free one for each 0. */
export async function envoyPorts(wanted: AgentPorts, bind: string): Promise<Required<Omit<AgentPorts, 'status'>>> {
  const [admin, ready, prometheus] = await Promise.all([
    portOr(wanted.admin ?? 15_000, '127.0.0.1'),
    portOr(wanted.ready ?? 15_021, bind),
    portOr(wanted.prometheus ?? 15_090, bind),
  ]);
  return { admin, ready, prometheus };
}

/** @note Envoy has to be told the numbers before it listens, so a port that is free now may be taken by then; nobody else hurries to one. */
async function portOr(port: number, host: string): Promise<number> {
  return port === 0 ? freePort(host) : port;
}

function freePort(host: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new FakeIstiodError('options.invalid', `cannot listen on ${host}: ${cause.message}`, {
          remedy: 'Choose an address of this machine with --bind, e.g. 127.0.0.1',
          cause,
        }),
      ),
    );
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
