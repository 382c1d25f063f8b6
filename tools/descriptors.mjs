// Makes proto/descriptors.bin.br from the Go modules that proto/generate/go.mod pins. Needs Go and a module proxy.
//
//   node tools/descriptors.mjs           write the file
//   node tools/descriptors.mjs --samples FILE   write every message, filled, as Go's protobuf encodes it (the tests compare)
//   node tools/descriptors.mjs --check   make it again elsewhere and compare; exit 1 when it differs, 3 when Go is missing
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const source = fileURLToPath(new URL('../proto/generate', import.meta.url));
const target = fileURLToPath(new URL('../proto/descriptors.bin.br', import.meta.url));

function fail(code, message) {
  process.stderr.write(`descriptors: ${message}\n`);
  process.exit(code);
}

function go(folder, args) {
  const { error, status, stdout, stderr } = spawnSync('go', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error?.code === 'ENOENT') throw Object.assign(new Error('no `go` on PATH; install Go 1.26 or newer'), { missing: true });
  if (status !== 0) throw new Error(`go ${args[0]} failed:\n${stderr || error}`);
  return stdout;
}

/** The Go file that links every package of packages.txt into the generator. */
function writeImports(folder) {
  const lines = readFileSync(join(folder, 'packages.txt'), 'utf8').split('\n');
  const patterns = lines.filter((line) => line && !line.startsWith('#'));
  const listed = go(folder, ['list', '-f', '{{.ImportPath}} {{.Name}}', ...patterns]);
  const packages = listed.split('\n').filter((line) => line && !line.endsWith(' main'));
  const imports = [...new Set(packages.map((line) => `\t_ "${line.split(' ')[0]}"`))].sort();
  writeFileSync(join(folder, 'imports.go'), `package main\n\nimport (\n${imports.join('\n')}\n)\n`);
}

/** What the generator writes when given `options`, made in a folder that is removed afterwards. */
function generate(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-descriptors-'));
  try {
    cpSync(source, folder, { recursive: true });
    writeImports(folder);
    go(folder, ['build', '-o', 'generate', '.']);
    // Two modules declare istio.workload.Workload; the first one linked (istio.io/istio, the newer) wins. See proto/README.md.
    const env = { ...process.env, GOLANG_PROTOBUF_REGISTRATION_CONFLICT: 'ignore' };
    const { status, stderr } = spawnSync(join(folder, 'generate'), [...options, 'out.bin'], { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the generator failed:\n${stderr}`);
    return readFileSync(join(folder, 'out.bin'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compress(blob) {
  return brotliCompressSync(blob, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: blob.length,
    },
  });
}

/** Compares what is compressed, because another Node may bring another brotli. */
function check(blob) {
  if (!existsSync(target)) fail(1, 'proto/descriptors.bin.br is missing; run `node tools/descriptors.mjs`');
  const committed = brotliDecompressSync(readFileSync(target));
  if (!committed.equals(blob)) {
    fail(
      1,
      `proto/descriptors.bin.br (${committed.length} bytes) is not what proto/generate gives (${blob.length} bytes); run \`node tools/descriptors.mjs\` and commit the file`,
    );
  }
  process.stdout.write(`descriptors: proto/descriptors.bin.br is up to date (${blob.length} bytes)\n`);
}

function write(blob) {
  const bytes = compress(blob);
  writeFileSync(target, bytes);
  process.stdout.write(`descriptors: wrote proto/descriptors.bin.br (${bytes.length} bytes, ${blob.length} uncompressed)\n`);
}

try {
  const [mode, file] = process.argv.slice(2);
  if (mode === undefined) write(generate());
  else if (mode === '--check') check(generate());
  else if (mode === '--samples' && file) writeFileSync(file, generate('-samples'));
  else fail(2, `unknown arguments: ${process.argv.slice(2).join(' ')}; give nothing, --check, or --samples FILE`);
} catch (error) {
  fail(error.missing ? 3 : 1, error.message);
}
