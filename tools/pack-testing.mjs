// The part of the check of the packed package that is about tests: both module systems, types, and the blocks of docs/testing.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeBlocks } from './code-blocks.mjs';

const frameworks = ['vitest', 'jest', 'testcontainers'];
const toolOf = { vitest: 'node_modules/vitest/vitest.mjs', jest: 'node_modules/jest/bin/jest.js' };

/** `require` gives the very same modules as `import`: a class that is there twice would not be itself. */
function oneCopy({ node, folder }) {
  return node(`
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(join(folder, 'package.json'))});
    for (const entry of ['fake-istiod', 'fake-istiod/envoy', 'fake-istiod/testing'])
      for (const [name, value] of Object.entries(await import(entry))) if (require(entry)[name] !== value) throw new Error(entry + ' has two ' + name);
    console.log('import and require give the same');`);
}

/** The frameworks that a stranger has, out of this checkout. Not there before: what needs none of them was tried without. */
function haveFrameworks({ root, folder }) {
  for (const name of [...frameworks, 'expect', '@jest/globals', '@types/node']) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

/** Types for every way in which TypeScript resolves, with the declarations read in full where they are ours. */
function testingTypes(tools) {
  const { folder } = tools;
  haveFrameworks(tools);
  const uses = [
    `import { FakeIstiodError, startFakeIstiod } from 'fake-istiod';`,
    `import { istiodMatchers, withIstiod } from 'fake-istiod/testing';`,
    `import { EnvoyContainer, forServerState } from 'fake-istiod/testcontainers';`,
    `export const test: () => Promise<void> = withIstiod({ scenario: 'ready' }, async ({ istiod, envoy }) => { istiod.release('CDS'); await envoy.admin.awaitState('LIVE'); });`,
    `export const all = [FakeIstiodError, startFakeIstiod, istiodMatchers, new EnvoyContainer().withWaitStrategy(forServerState('LIVE'))];`,
  ];
  const vitest = [
    `import { expect } from 'vitest';`,
    `import { istiodTest } from 'fake-istiod/testing/vitest';`,
    `istiodTest({ scenario: 'ready' })('x', async ({ envoy }) => { await expect(envoy).toReachState('LIVE'); });`,
    `// @ts-expect-error no such state`,
    `void expect(1).not.toStayIn('LIFE');`,
  ];
  const jest = [
    `import { expect, test } from '@jest/globals';`,
    `import 'fake-istiod/testing/jest';`,
    `test('x', async () => { await expect(1).not.toHaveNacked(/text/, { type: 'LDS' }); expect([]).toEqual(expect.toBeEvent({ type: 'response.acked' })); });`,
  ];
  const files = { 'uses.mts': uses, 'uses.cts': uses, 'by-vitest.mts': vitest, 'by-jest.cts': jest };
  for (const [file, lines] of Object.entries(files)) writeFileSync(join(folder, file), lines.join('\n'));
  const ways = [
    ['Node16', 'Node16'],
    ['NodeNext', 'NodeNext'],
    ['ES2022', 'Bundler'],
  ];
  // A bundler's way has no CommonJS file of its own.
  for (const [module, moduleResolution] of ways)
    check(tools, module, moduleResolution, ...Object.keys(files).filter((file) => moduleResolution !== 'Bundler' || file.endsWith('.mts')));
  return ways.map((way) => way.join('/')).join(', ');
}

function check({ root, run }, module, moduleResolution, ...files) {
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'ES2022',
    '--lib',
    'ES2023,ESNext.Disposable,DOM',
    '--types',
    'node',
  ];
  const way = ['--module', module, '--moduleResolution', moduleResolution];
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...way, ...files]);
}

/** The blocks of docs/testing.md: each by its framework; those with containers where there is a daemon, and else compiled. */
function testingExamples(tools) {
  const { root, folder, run, must } = tools;
  const blocks = codeBlocks(readFileSync(join(root, 'docs/testing.md'), 'utf8')).filter(({ language }) => ['ts', 'js'].includes(language));
  must(blocks.length > 0, 'docs/testing.md has no block');
  const told = blocks.map(({ language, code, words }, i) => {
    const file = `page-${i + 1}${words.includes('docker') ? '' : '.test'}.${language === 'ts' ? 'mts' : 'cjs'}`;
    writeFileSync(join(folder, file), code);
    if (language === 'ts') check(tools, 'NodeNext', 'NodeNext', file);
    if (words.includes('vitest')) run(process.execPath, [join(root, toolOf.vitest), 'run', '--dir', '.', file]);
    else if (words.includes('jest'))
      run(process.execPath, [join(root, toolOf.jest), '--rootDir', folder, '--config', jestConfig(tools), '--runTestsByPath', file]);
    else return inDocker(tools, file, words);
    return `${file} ran`;
  });
  return told.join(', ');
}

function jestConfig({ installed }) {
  const setup = join(installed, 'dist/cjs/testing/jest.js');
  return JSON.stringify({
    testMatch: ['**/*.cjs'],
    moduleFileExtensions: ['js', 'cjs', 'json'],
    setupFilesAfterEnv: [setup],
    transform: {},
  });
}

function inDocker({ run, compile }, file, words) {
  const image = words.includes('istiod') ? 'fake-istiod:local' : 'envoyproxy/envoy:v1.40.0';
  if (spawnSync('docker', ['image', 'inspect', image], { timeout: 20_000 }).status !== 0)
    return `${file} compiled (no daemon, or no image ${image})`;
  compile(file);
  run(process.execPath, [file.replace(/\.mts$/, '.mjs')], { env: { ...process.env, TESTCONTAINERS_RYUK_DISABLED: 'true' } });
  return `${file} ran`;
}

/** The checks, with what the others are made of. */
export function testingChecks(tools) {
  return { oneCopy: () => oneCopy(tools), types: () => testingTypes(tools), examples: () => testingExamples(tools) };
}
