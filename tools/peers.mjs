// Builds the programs of others that `test/peers` talks to: `node tools/peers.mjs [name…]`, all of them without a name. Each module under
// test/peers pins one version; what was built once stays in the user's cache folder. The path of each binary is one line on stdout.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fake-istiod');

/** Name of a program → the folder of the module that pins it, the module it comes from, its package. */
const peers = {
  grpcurl: { folder: 'grpcurl', module: 'github.com/fullstorydev/grpcurl', main: 'cmd/grpcurl' },
  'pilot-agent': { folder: 'istio', module: 'istio.io/istio', main: 'pilot/cmd/pilot-agent' },
  // Ours, over grpc-go's own xDS client.
  proxyless: { folder: 'proxyless', module: 'google.golang.org/grpc', source: 'main.go' },
  istioctl: { folder: 'istio', module: 'istio.io/istio', main: 'istioctl/cmd/istioctl' },
};

function stop(message, code) {
  process.stderr.write(`peers: ${message}\n`);
  process.exit(code);
}

/** Of a program of ours the source is a part of its version. */
function versionOf(peer) {
  const source = peer.source && readFileSync(join(root, 'test/peers', peer.folder, peer.source));
  return source ? `${moduleVersion(peer)}-${createHash('sha256').update(source).digest('hex').slice(0, 8)}` : moduleVersion(peer);
}

function moduleVersion({ folder, module }) {
  const text = readFileSync(join(root, 'test/peers', folder, 'go.mod'), 'utf8');
  const line = text.split('\n').find((candidate) =>
    candidate
      .replace(/^require/, '')
      .trim()
      .startsWith(`${module} `),
  );
  return line.trim().split(' ').at(-1);
}

/** Without symbols: linking takes half the time, and a third of the size is left. */
function build(name, { folder, module, main, source }, binary) {
  const began = performance.now();
  process.stderr.write(`peers: building ${name} …\n`);
  mkdirSync(cache, { recursive: true });
  const fresh = `${binary}.${process.pid}`;
  const args = ['build', '-buildvcs=false', '-ldflags=-s -w', '-o', fresh, source ? '.' : `${module}/${main}`];
  const { status, error } = spawnSync('go', args, { cwd: join(root, 'test/peers', folder), stdio: ['ignore', 2, 2] });
  if (error) stop(`cannot run \`go\`: ${error.message}. Install Go 1.26 or newer`, 3);
  if (status !== 0) {
    rmSync(fresh, { force: true });
    stop(`${name} could not be built; Go's own words stand above`, 3);
  }
  renameSync(fresh, binary);
  process.stderr.write(`peers: ${name}: built in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(peers);
for (const name of wanted) {
  const peer = peers[name];
  if (!peer) stop(`there is no peer "${name}"; there are ${Object.keys(peers).join(', ')}`, 2);
  const binary = join(cache, `${name}-${versionOf(peer)}`);
  if (!existsSync(binary)) build(name, peer, binary);
  process.stdout.write(`${binary}\n`);
}
