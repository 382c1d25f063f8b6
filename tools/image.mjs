// Makes the image `fake-istiod:local` (or $FAKE_ISTIOD_IMAGE). IMAGE_TARGET chooses how: `runtime` builds everything inside, which needs
// BuildKit and a network; `prebuilt` takes dist/ as it is built on this machine. Left out: `runtime` where the docker client has buildx.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfInputs, stampFile } from './build-inputs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const image = process.env.FAKE_ISTIOD_IMAGE || 'fake-istiod:local';
const base = process.env.NODE_IMAGE || 'node:20-slim';

class Failure extends Error {}

const quietly = (...args) => spawnSync('docker', args, { encoding: 'utf8' });
const loudly = (command, ...args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;

function askDocker() {
  const { error, status, stderr } = quietly('version', '--format', '{{.Server.Version}}');
  if (error?.code === 'ENOENT') throw new Failure('there is no `docker` command. Install Docker, or Podman with its docker command');
  if (status !== 0)
    throw new Failure(`no Docker daemon answers: ${stderr.trim().split('\n').at(-1)} Start it, or point DOCKER_HOST at one`);
}

function chosenTarget(hasBuildx) {
  const wanted = process.env.IMAGE_TARGET;
  if (wanted === undefined || wanted === '') return hasBuildx ? 'runtime' : 'prebuilt';
  if (wanted === 'runtime' || wanted === 'prebuilt') return wanted;
  throw new Failure(`IMAGE_TARGET is ${wanted}, which is neither runtime nor prebuilt`);
}

/** dist/ as the sources are now. */
function freshBundle() {
  const stamp = stampFile(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfInputs(root)) return;
  process.stdout.write('dist/ is built anew, because its sources have changed.\n');
  if (!loudly(process.execPath, 'tools/build.mjs')) throw new Failure('dist/ cannot be built; why is told above');
}

function build(target, hasBuildx) {
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const labels = [`org.opencontainers.image.version=${version}`, `org.opencontainers.image.base.name=${base}`];
  const args = [
    'build',
    // The builder of before leaves a container behind where a step fails.
    ...(hasBuildx ? [] : ['--force-rm']),
    '--target',
    target,
    '--tag',
    image,
    '--build-arg',
    `NODE_IMAGE=${base}`,
    ...labels.flatMap((label) => ['--label', label]),
    '.',
  ];
  // Without buildx the client has only the builder of before, and must be told that it may use it.
  const env = hasBuildx ? process.env : { ...process.env, DOCKER_BUILDKIT: '0' };
  if (spawnSync('docker', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0) return;
  const other =
    target === 'runtime'
      ? '. Without a network: IMAGE_TARGET=prebuilt npm run image'
      : `. It is made of ${base}, which has to be here, or NODE_IMAGE`;
  throw new Failure(`the image cannot be built (target ${target})${other}`);
}

const size = (name) => Number(quietly('image', 'inspect', '--format', '{{.Size}}', name).stdout);
const megabytes = (bytes) => `${(bytes / 1_000_000).toFixed(1)} MB`;

try {
  askDocker();
  const hasBuildx = quietly('buildx', 'version').status === 0;
  const target = chosenTarget(hasBuildx);
  if (target === 'prebuilt') freshBundle();
  build(target, hasBuildx);
  const added = size(image) - size(base);
  process.stdout.write(`${image} is made (target ${target}): ${megabytes(size(image))}, of which ${megabytes(added)} are ours.\n`);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`image: ${error.message}.\n`);
  process.exitCode = 1;
}
