import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, relative } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { GrpcServer, type ByteMethod } from '../wire/grpc-server.ts';

/** gRPC on a Unix socket. */
export interface SocketServer {
  readonly path: string;
  /** Cuts all connections, and removes the socket. */
  close(): Promise<void>;
}

/** What fits into `sun_path` on Linux, without the zero at its end. */
const longestPath = 107;

/**
 * Serves methods on a Unix socket, with messages of any size. A socket that somebody left behind is replaced. Errors: `port.in-use` where
 * somebody answers on it, `output.unwritable`, `options.invalid` for a path that is too long.
 */
export async function serveOnSocket(path: string, methods: readonly ByteMethod[]): Promise<SocketServer> {
  const grpc = new GrpcServer({ maxMessageBytes: -1, connectionBetween: () => ({ peer: 'unix', secure: false }) });
  for (const method of methods) grpc.add(method);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    grpc.admit(socket);
  });
  await makeRoom(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(unwritable(path, cause)));
    server.listen(shortest(path), resolve);
  });
  // Envoy may run as another user.
  await chmod(path, 0o666);
  return {
    path,
    async close() {
      grpc.dismiss();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
      await rm(path, { force: true });
    },
  };
}

/** Whether somebody answers on a Unix socket. */
export function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(shortest(path));
    const settle = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

async function makeRoom(path: string): Promise<void> {
  if (Buffer.byteLength(shortest(path)) > longestPath) {
    throw new FakeIstiodError('options.invalid', `the path of a Unix socket has at most ${longestPath} bytes, and ${path} has more`, {
      remedy: 'Start in, or choose, a root folder with a shorter name',
    });
  }
  const there = await stat(path).catch(() => undefined);
  if (there?.isSocket() && (await isAlive(path))) {
    throw new FakeIstiodError('port.in-use', `somebody listens on ${path} already`, {
      remedy: 'Is another agent running there? Stop it, or give this one another --root',
    });
  }
  try {
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { force: true });
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): FakeIstiodError {
  return new FakeIstiodError(
    'output.unwritable',
    `the socket ${path} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      remedy: 'Choose a --root that you may write to',
      cause,
    },
  );
}

/** The shorter of the two ways to name a path from here. */
function shortest(path: string): string {
  const way = relative(process.cwd(), path);
  return Buffer.byteLength(way) < Buffer.byteLength(path) ? way : path;
}
