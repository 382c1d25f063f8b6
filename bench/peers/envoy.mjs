// One node's 10 000 clusters to LIVE in a real Envoy: from us, and from a file of its own (filesystem subscription).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { interleaved } from '../samples.mjs';
import { onCore, startServer } from './programs.mjs';

const clusters = 10_000;
const bytes = 390;

function bootstrap(cds, ads) {
  const h2 = {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  };
  return {
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } },
    node: { id: 'sidecar~10.0.0.1~bench.default~default.svc.cluster.local', cluster: 'bench' },
    dynamic_resources: {
      cds_config: { resource_api_version: 'V3', initial_fetch_timeout: '0s', ...cds },
      ...(ads ? { ads_config: ads.config } : {}),
    },
    ...(ads
      ? {
          static_resources: {
            clusters: [
              {
                name: 'xds',
                connect_timeout: '5s',
                typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': h2 },
                load_assignment: {
                  cluster_name: 'xds',
                  endpoints: [
                    { lb_endpoints: [{ endpoint: { address: { socket_address: { address: ads.host, port_value: ads.port } } } }] },
                  ],
                },
              },
            ],
          },
        }
      : {}),
  };
}

function fromServer(address, apiType) {
  const [host, port] = address.split(':');
  const config = { api_type: apiType, transport_api_version: 'V3', grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }] };
  return bootstrap({ ads: {} }, { config, host, port: Number(port) });
}

function varint(value) {
  const made = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...made, left]);
    made.push((left % 128) + 128);
  }
}

const field = (number, value) => Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);

/** A DiscoveryResponse in bytes, which Envoy reads fastest. */
function responseFile(folder, typeUrl, values) {
  const resources = values.map((value) => field(2, Buffer.concat([field(1, Buffer.from(typeUrl)), field(2, value)])));
  const file = join(folder, 'cds.pb');
  writeFileSync(file, Buffer.concat([field(1, Buffer.from('1')), ...resources, field(4, Buffer.from(typeUrl))]));
  return file;
}

async function untilLive(envoy, folder, config) {
  const addressFile = join(folder, `admin-${Math.random()}`);
  const began = performance.now();
  const args = [
    '--config-yaml',
    JSON.stringify(config),
    '--admin-address-path',
    addressFile,
    '--disable-hot-restart',
    '--concurrency',
    '1',
    '--log-level',
    'off',
  ];
  const [program, ...rest] = onCore(1, [envoy, ...args]);
  const child = spawn(program, rest, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${envoy} ended with ${child.exitCode} before it was LIVE`);
      if (performance.now() - began > 120_000) throw new Error(`${envoy} was not LIVE within 120 s`);
      try {
        const response = await fetch(`http://${readFileSync(addressFile, 'utf8').trim()}/ready`);
        if ((await response.text()).startsWith('LIVE')) return performance.now() - began;
      } catch {
        // It does not listen yet.
      }
      await pause(20);
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function tell(control, lines) {
  const [host, port] = control.split(':');
  const socket = connect(Number(port), host);
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  for (const line of lines) {
    socket.write(`${line}\n`);
    const { value } = await answers.next();
    if (value !== 'ok') throw new Error(value);
  }
  socket.destroy();
}

/** Figures as `judged` gives them. */
export async function envoyFigures({ envoy, programs, rounds, values }) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-bench-'));
  const server = await startServer('ours', programs);
  try {
    await tell(server.control, [`prepare clusters ${clusters} ${bytes} 1`, 'publish']);
    const file = responseFile(folder, 'type.googleapis.com/envoy.config.cluster.v3.Cluster', await values(clusters, bytes));
    const [own, sotw, delta] = await interleaved(rounds, [
      () => untilLive(envoy, folder, bootstrap({ path_config_source: { path: file } })),
      () => untilLive(envoy, folder, fromServer(server.plain, 'GRPC')),
      () => untilLive(envoy, folder, fromServer(server.plain, 'DELTA_GRPC')),
    ]);
    const s = (value) => `${(value / 1000).toFixed(2)} s`;
    const row = (what, ours) => ({
      what,
      ours: s(ours),
      theirs: s(own),
      ratio: `${(ours / own).toFixed(2)} ×`,
      goal: '≤ 1.05 ×',
      verdict: ours / own <= 1.05 ? 'reached' : '**missed**',
    });
    return [row('SotW', sotw), row('delta', delta)];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
