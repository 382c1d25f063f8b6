import { createServer, isIPv4, type AddressInfo, type Server, type Socket } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import { hostPort } from './connections.ts';

export interface PortRequest {
  /** IP addresses; at least one has to work. */
  readonly hosts: readonly string[];
  /** 0: any port that is free on all of them. */
  readonly port: number;
  /** What chooses this port, for the remedy: the command's option and the library's. */
  readonly chosenBy: string;
  readonly onConnection: (socket: Socket) => void;
}

/** One port number, listened on at one or more addresses. */
export interface ListeningPort {
  readonly port: number;
  /** As `host:port`. */
  readonly addresses: readonly string[];
  /** Stops listening at once; resolves when the connections are gone as well. */
  close(): Promise<void>;
}

const attempts = 10;

/** How many connections may wait to be taken in, where the kernel allows it: Node's 511 turns some away of ten thousand at once. */
const backlog = 16_384;

/**
 * Listens at all hosts on the same port.
 *
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `options.invalid`
 */
export async function listen(request: PortRequest): Promise<ListeningPort> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenOnce(request);
    } catch (error) {
      const otherPortMayWork = request.port === 0 && error instanceof FakeIstiodError && error.code === 'port.in-use';
      if (!otherPortMayWork || attempt === attempts) throw error;
    }
  }
}

async function listenOnce(request: PortRequest): Promise<ListeningPort> {
  const servers: Server[] = [];
  const missing: FakeIstiodError[] = [];
  let { port } = request;
  try {
    for (const host of request.hosts) {
      const server = await listenAt(host, port, request, missing);
      if (!server) continue;
      servers.push(server);
      port = (server.address() as AddressInfo).port;
    }
    if (servers.length === 0)
      throw (
        missing[0] ??
        new FakeIstiodError('options.invalid', 'no address to listen on', { remedy: 'Give one with `--bind`, or the option `bind`' })
      );
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
  const addresses = servers.map((server) => hostPort((server.address() as AddressInfo).address, port));
  return { port, addresses, close: () => closeAll(servers) };
}

/** Undefined if the machine has no such loopback address, which is then noted in `missing`. */
async function listenAt(host: string, port: number, request: PortRequest, missing: FakeIstiodError[]): Promise<Server | undefined> {
  const server = createServer({ noDelay: true }, request.onConnection);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog, ipv6Only: request.hosts.some(isIPv4) }, resolve);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const absent = code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
    const described = describe(error as NodeJS.ErrnoException, host, port, request.chosenBy);
    if (!absent || host !== '::1') throw described;
    missing.push(described);
    return undefined;
  }
  server.removeAllListeners('error');
  server.on('error', () => undefined);
  return server;
}

function describe(error: NodeJS.ErrnoException, host: string, port: number, chosenBy: string): FakeIstiodError {
  const address = hostPort(host, port);
  switch (error.code) {
    case 'EADDRINUSE':
      return new FakeIstiodError('port.in-use', `${address} is in use already`, {
        remedy: `Stop what listens there, or choose another port with ${chosenBy} (0 takes any free one)`,
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
      return new FakeIstiodError('port.forbidden', `not allowed to listen on ${address}`, {
        remedy: `Choose a port above 1023 with ${chosenBy}`,
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EINVAL':
      return new FakeIstiodError('options.invalid', `"${host}" is not an address of this machine`, {
        remedy: 'Choose one that is with `--bind`, or the option `bind`, e.g. 127.0.0.1',
        cause: error,
      });
    default:
      return new FakeIstiodError('internal', `cannot listen on ${address}: ${error.message}`, { cause: error });
  }
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}
