import { execFile } from 'node:child_process';
import { request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';

/** An HTTP GET as a probe sends it. */
export interface HttpProbe {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly https: boolean;
  readonly headers: OutgoingHttpHeaders;
}

export interface HttpProbeAnswer {
  readonly code: number;
  /** At most 10 KiB of it, as kubelet reads. */
  readonly body: Buffer;
}

const maxBody = 10 * 1024;

/** Sends one, without redirects and without a look at the certificate, as kubelet does. Rejects if there is no answer in time. */
export function probeHttp({ host, port, path, https, headers }: HttpProbe, timeoutMs: number): Promise<HttpProbeAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host, port, path, headers, agent: false, signal: AbortSignal.timeout(timeoutMs) };
    const onAnswer = (response: IncomingMessage): void => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => resolve({ code: response.statusCode ?? 0, body: Buffer.concat(pieces).subarray(0, maxBody) }));
    };
    const sent = https ? requestHttps({ ...options, rejectUnauthorized: false }, onAnswer) : requestHttp(options, onAnswer);
    sent.on('error', reject).end();
  });
}

/** Whether somebody listens: connects and goes. Rejects if that does not come about in time. */
export function probeTcp(host: string, port: number, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`dial tcp ${host}:${port}: i/o timeout`)));
    socket.once('error', reject).once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

/** Asks `grpc.health.v1.Health/Check`, in plaintext. Rejects with the reason if the answer is not SERVING. */
export async function probeGrpc(address: string, service: string, timeoutMs: number): Promise<void> {
  const { Client, credentials } = await import('@grpc/grpc-js');
  const { default: protobuf } = await import('protobufjs/minimal.js');
  const client = new Client(address, credentials.createInsecure());
  const request = service === '' ? Buffer.alloc(0) : Buffer.from(protobuf.Writer.create().uint32(10).string(service).finish());
  const pass = (bytes: Buffer): Buffer => bytes;
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const options = { deadline: Date.now() + timeoutMs };
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', pass, pass, request, options, (error, bytes) =>
        error ? reject(new Error(`health rpc probe failed: ${error.message}`)) : resolve(bytes ?? Buffer.alloc(0)),
      );
    });
    // HealthCheckResponse: status = 1, SERVING = 1.
    if (!answer.equals(Buffer.from([8, 1]))) throw new Error('health rpc probe: the service is not SERVING');
  } finally {
    client.close();
  }
}

/** Runs a command. Rejects if it fails or takes too long. */
export function probeExec([command = '', ...args]: readonly string[], timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: timeoutMs }, (error) => {
      if (!error) return resolve();
      const late = error.killed ? 'command timeout exceeded: ' : '';
      reject(new Error(`${late}${typeof error.code === 'number' ? `exit status ${error.code}` : error.message}`));
    });
  });
}
