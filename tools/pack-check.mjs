// Is what npm would publish usable? Packs, installs the tarball into an empty folder and uses it there as a stranger would: import, types,
// command, JSON mapping, CA service, and the library examples of the README and of docs/library.md against a real Envoy. `--keep` leaves the folder for a look.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeBlocks } from './code-blocks.mjs';
import { testingChecks } from './pack-testing.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-packed-'));
const installed = join(folder, 'node_modules/fake-istiod');
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

function run(command, args, { cwd = folder, input, env = process.env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 120_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${[command, ...args].join(' ')}\` ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

function must(condition, message) {
  if (!condition) throw new Error(message);
}

const node = (code) => run(process.execPath, ['--input-type=module', '-'], { input: code });
const fakeIstiod = (...args) => run(join(folder, 'node_modules/.bin/fake-istiod'), args);

function packAndInstall() {
  const [packed] = JSON.parse(run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root }));
  const paths = packed.files.map(({ path }) => path);
  for (const wanted of [
    /^dist\/bin\/fake-istiod\.js$/,
    /^dist\/lib\/index\.d\.ts$/,
    /^dist\/cjs\/testing\/index\.d\.ts$/,
    /^scenarios\/ready\.yaml$/,
    /^proto\/descriptors\.bin\.br$/,
    /^LICENSE$/,
    /^NOTICE$/,
  ]) {
    must(
      paths.some((path) => wanted.test(path)),
      `the tarball has no ${wanted}`,
    );
  }
  const strangers = paths.filter((path) => /^(src|test|tools|bench|\.ci)\//.test(path));
  must(strangers.length === 0, `the tarball has files that nobody needs: ${strangers.join(', ')}`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', version: '1.0.0', private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${packed.filename}`]);
  return `${paths.length} files, ${megabytes(packed.size)} packed, ${megabytes(packed.unpackedSize)} unpacked`;
}

function protobufjsIsOurs() {
  const tree = JSON.parse(run('npm', ['ls', 'protobufjs', '--json']));
  const { version } = tree.dependencies['fake-istiod'].dependencies.protobufjs;
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  must(
    version === dependencies.protobufjs && version === '8.8.1',
    `protobufjs ${version} is installed, ${dependencies.protobufjs} asked for`,
  );
  return `protobufjs ${version}, direct and exact`;
}

function entryPoints() {
  return node(`
    const names = async (entry) => Object.keys(await import(entry));
    const [library, envoy, testing] = [await names('fake-istiod'), await names('fake-istiod/envoy'), await names('fake-istiod/testing')];
    for (const wanted of ['startFakeIstiod', 'TypeUrl', 'FakeIstiodError']) if (!library.includes(wanted)) throw new Error('no ' + wanted);
    for (const wanted of ['startEnvoy', 'findEnvoy', 'adminClient']) if (!envoy.includes(wanted)) throw new Error('no ' + wanted);
    for (const wanted of ['istiodMatchers', 'withIstiod']) if (!testing.includes(wanted)) throw new Error('no ' + wanted);
    console.log(library.length + ' names in fake-istiod, ' + envoy.length + ' in fake-istiod/envoy, ' + testing.length +
      ' in fake-istiod/testing, without any test framework');`);
}

function command() {
  must(/Usage: fake-istiod/.test(fakeIstiod('--help')), '--help shows no usage');
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  must(fakeIstiod('--version').trim() === version, `--version is not ${version}`);
  must(/withhold-first-cds/.test(fakeIstiod('scenarios')), '`scenarios` does not list withhold-first-cds');
  must(/release/i.test(fakeIstiod('explain', 'withhold-first-cds')), '`explain` does not tell of the release');
  const bootstrap = join(folder, 'bootstrap.json');
  fakeIstiod('bootstrap', 'ready', '-o', bootstrap);
  must(JSON.parse(readFileSync(bootstrap, 'utf8')).static_resources, '`bootstrap` wrote none');
  return `fake-istiod ${version}: --help, --version, scenarios, explain, bootstrap`;
}

function jsonMapping() {
  return node(`
    import { decodeJson, encodeJson } from ${JSON.stringify(join(installed, 'dist/lib/protobuf/canonical-json.js'))};
    import assert from 'node:assert/strict';
    const type = 'envoy.config.cluster.v3.Cluster';
    const bytes = encodeJson(type, { name: 'a', connect_timeout: '0.25s', lb_policy: 'ROUND_ROBIN', max_requests_per_connection: 7 });
    const json = decodeJson(type, bytes);
    assert.equal(json.connectTimeout, '0.250s');
    assert.equal(json.maxRequestsPerConnection, 7);
    assert.deepEqual(Buffer.from(encodeJson(type, json)), Buffer.from(bytes));
    console.log('a Cluster: JSON to ' + bytes.length + ' bytes and back');`);
}

function caService() {
  return node(`
    import { caServiceDefinition } from ${JSON.stringify(join(installed, 'dist/lib/protobuf/ca-service.js'))};
    const { CreateCertificate } = caServiceDefinition();
    if (CreateCertificate.path !== '/istio.v1.auth.IstioCertificateService/CreateCertificate') throw new Error(CreateCertificate.path);
    console.log(CreateCertificate.path);`);
}

function readmeExample(language, file, prepare) {
  const [block] = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8')).filter((one) => one.language === language);
  must(block, `README.md has no \`${language}\` block`);
  writeFileSync(join(folder, file), block.code);
  prepare?.();
  run(process.execPath, [file.replace(/\.mts$/, '.mjs')]);
  return `README's \`${language}\` block ran against a real Envoy`;
}

/** Every `fake-istiod …` line of the README's shell blocks runs to its end; `serve` until it listens and is interrupted, on free ports. */
function readmeCommands() {
  const blocks = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ language }) => language === 'sh');
  const lines = blocks.flatMap(({ code }) => code.split('\n')).map((line) => line.replace(/\s+#.*/, '').trim());
  const commands = lines.filter((line) => line.startsWith('fake-istiod ')).map((line) => line.split(' ').slice(1));
  must(commands.length > 0, 'README.md shows no command');
  for (const args of commands) {
    if (args[0] === 'serve')
      run('timeout', [
        '--preserve-status',
        '-s',
        'INT',
        '3',
        'node_modules/.bin/fake-istiod',
        ...args,
        '--port',
        '0',
        '--plaintext-port',
        '0',
        ...(args.includes('--control-port') ? ['--control-port', '0'] : []),
      ]);
    else fakeIstiod(...args);
  }
  return commands.map((args) => args.join(' ')).join('; ');
}

function compile(...files) {
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const language = [
    '--strict',
    '--target',
    'ES2022',
    '--lib',
    'ES2023,ESNext.Disposable',
    '--module',
    'NodeNext',
    '--moduleResolution',
    'NodeNext',
  ];
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...language, ...types, ...files]);
}

/** Every block of the page for test authors, one after the other. */
function libraryExamples() {
  const blocks = codeBlocks(readFileSync(join(root, 'docs/library.md'), 'utf8')).filter(({ language }) => ['ts', 'js'].includes(language));
  must(blocks.length > 0, 'docs/library.md has no block');
  const files = blocks.map(({ language }, i) => `library-${i + 1}.${language === 'ts' ? 'mts' : 'mjs'}`);
  for (const [i, { code }] of blocks.entries()) writeFileSync(join(folder, files[i]), code);
  compile(...files.filter((file) => file.endsWith('.mts')));
  for (const file of files) run(process.execPath, [file.replace(/\.mts$/, '.mjs')]);
  return `${files.length} blocks of docs/library.md ran against a real Envoy`;
}

const testing = testingChecks({ root, folder, installed, run, must, node, compile });
const checks = [
  ['packed and installed', packAndInstall],
  ['protobufjs', protobufjsIsOurs],
  ['entry points', entryPoints],
  ['one copy', testing.oneCopy],
  ['command', command],
  ['JSON mapping', jsonMapping],
  ['CA service', caService],
  ["README's commands", readmeCommands],
  ['TypeScript', () => readmeExample('ts', 'usage.mts', () => compile('usage.mts'))],
  ['plain JavaScript', () => readmeExample('js', 'plain.mjs')],
  ['the page for test authors', libraryExamples],
  ['types of the test helpers', testing.types],
  ['the page on test frameworks', testing.examples],
];

let failures = 0;
mkdirSync(folder, { recursive: true });
try {
  for (const [name, check] of checks) {
    try {
      process.stdout.write(`ok      ${name}: ${check().trim()}\n`);
    } catch (error) {
      failures += 1;
      process.stdout.write(`FAILED  ${name}: ${error.message}\n`);
      if (check === packAndInstall) break;
    }
  }
} finally {
  if (process.argv.includes('--keep')) process.stdout.write(`left for a look: ${folder}\n`);
  else rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
