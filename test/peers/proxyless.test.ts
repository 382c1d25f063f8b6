import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod } from '../../src/index.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';
import { startProcess, type Running } from './running-process.ts';

const method = '/fake.Echo/Who';
const host = 'echo.shop.svc.cluster.local';
const cluster = `outbound|7070||${host}`;

/** A gRPC server that answers with its name, on a port of its own. */
async function backend(name: string): Promise<string> {
  const server = new Server();
  const raw = (bytes: Buffer): Buffer => bytes;
  const answer = Buffer.concat([Buffer.from([0x0a, name.length]), Buffer.from(name)]);
  const definition = { path: method, requestStream: false, responseStream: false };
  const serialization = { requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw };
  const who = (_: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>): void => reply(null, answer);
  server.addService({ Who: { ...definition, ...serialization } }, { Who: who });
  onTestFinished(() => server.forceShutdown());
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  return `127.0.0.1:${port}`;
}

/** A scenario file with one service, in a folder of its own. */
async function serviceFile(): Promise<{ readonly path: string; write(endpoints: readonly string[]): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'echo.yaml');
  const service = (endpoints: readonly string[]): string =>
    `{ name: echo, namespace: shop, ports: [{ port: 7070, name: grpc }], endpoints: [${endpoints.map((each) => `'${each}'`).join(', ')}] }`;
  return { path, write: (endpoints) => writeFile(path, `title: Echo\nservices:\n  - ${service(endpoints)}\n`) };
}

const id = 'sidecar~10.0.0.9~client-1.shop~shop.svc.cluster.local';

function bootstrapFor(istiod: FakeIstiod): string {
  return JSON.stringify({
    xds_servers: [{ server_uri: `127.0.0.1:${istiod.port}`, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] }],
    node: {
      id,
      cluster: 'client.shop',
      metadata: { GENERATOR: 'grpc', NAMESPACE: 'shop' },
      locality: { region: 'r', zone: 'z', sub_zone: 's' },
    },
  });
}

type Start = (args: readonly string[], env: Readonly<Record<string, string>>) => Running;

function gotWhatItAskedFor(start: () => Start): void {
  it.each([`${host}:7070`, 'echo:7070', 'echo.shop:7070'])(
    'calls both endpoints of xds:///%s in turn, then the one that an update brings',
    async (target) => {
      const [a, b, c] = await Promise.all(['a', 'b', 'c'].map(backend));
      const file = await serviceFile();
      await file.write([a as string, b as string]);
      const istiod = await startFakeIstiod({ scenario: file.path });
      onTestFinished(() => istiod.stop());
      const words = ['--target', `xds:///${target}`, '--method', method, '--until', 'c'];
      const client = start()(words, { GRPC_XDS_BOOTSTRAP_CONFIG: bootstrapFor(istiod) });
      await Promise.all([client.line(/answered by a/), client.line(/answered by b/)]);

      await file.write([c as string]);
      await istiod.serveAnew(file.path);
      expect(await client.ended, client.lines.join('\n')).toBe(0);
      expect(client.lines.at(-1)).toBe('answered by c');

      const asked = istiod.timeline.events.flatMap((event) => (event.event === 'request.received' ? [event] : []));
      const named = (type: string): readonly string[] => asked.find((event) => event.typeUrl === type)?.names ?? [];
      expect(named(TypeUrl.listener)).toEqual([target]);
      expect(named(TypeUrl.route)).toEqual([cluster]);
      expect(named(TypeUrl.cluster)).toEqual([cluster]);
      expect(named(TypeUrl.endpoint)).toEqual([cluster]);
      expect(istiod.timeline.events.filter(({ event }) => event === 'response.nacked')).toEqual([]);
      const acks = istiod.timeline.events.flatMap((event) => (event.event === 'response.acked' ? [event.type] : []));
      expect(new Set(acks)).toEqual(new Set(['LDS', 'RDS', 'CDS', 'EDS']));
    },
  );
}

const whyNot = whyNoPeers();
if (whyNot !== undefined) console.log(`grpc-go's xDS client is not tested: ${whyNot}`);

describe.skipIf(whyNot !== undefined)("grpc-go's xDS client, without a proxy", () => {
  let binary: string;
  beforeAll(async () => {
    binary = await peerBinary('proxyless');
  }, buildLimitMs);

  gotWhatItAskedFor(() => (args, env) => startProcess(binary, args, { env }));
});

describe('@grpc/grpc-js-xds, without a proxy', () => {
  const script = join(import.meta.dirname, 'grpc-js-client.mjs');
  gotWhatItAskedFor(() => (args, env) => startProcess(process.execPath, [script, ...args], { env }));
});
