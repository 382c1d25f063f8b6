// The library's CommonJS form (dist/cjs), for test frameworks with a module system of their own: see docs/decisions/0011-testing-entry-points.md.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { thirdPartyNotices } from './third-party.mjs';

/** Entry points by their place under src/. All come out of one file, so that there is one copy of each class in a process. */
const entries = ['index', 'envoy/index', 'agent/index', 'testing/index', 'testing/jest', 'testcontainers/index'];

/** Packages without a CommonJS form become part of the file; all others stay packages. */
const bundled = ['jose'];

const packagesStay = {
  name: 'packages-stay',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundled.some((name) => path === name || path.startsWith(`${name}/`)) ? undefined : { path, external: true },
    );
  },
};

/** Writes dist/cjs into `cjs`. Its declarations are those that the compiler wrote into `lib`. */
export async function bundleLibrary(root, cjs) {
  const loaders = entries.map((entry) => `  ${JSON.stringify(entry)}: () => require('./src/${entry}.ts'),`);
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: `module.exports = {\n${loaders.join('\n')}\n};`, resolveDir: root, sourcefile: 'entries.cjs' },
    outfile: join(cjs, 'fake-istiod.js'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [packagesStay],
    // A framework that runs tests in a context of its own has `require` there, and no `import()`.
    supported: { 'dynamic-import': false },
    banner: { js: `"use strict";const fileUrl=require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': 'fileUrl' },
  });
  // The package's own package.json says that .js is an ES module.
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
  for (const entry of entries) {
    const file = join(cjs, `${entry}.js`);
    mkdirSync(dirname(file), { recursive: true });
    const path = relative(dirname(file), join(cjs, 'fake-istiod.js'));
    const main = path.startsWith('.') ? path : `./${path}`;
    writeFileSync(file, `'use strict';\nmodule.exports = require('${main}')['${entry}']();\n`);
  }
  writeFileSync(join(cjs, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(root, Object.keys(metafile.inputs)));
}

/** The declarations once more, where they are read as those of CommonJS modules. */
export function copyDeclarations(lib, cjs) {
  for (const name of readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'))) {
    mkdirSync(dirname(join(cjs, name)), { recursive: true });
    cpSync(join(lib, name), join(cjs, name));
  }
}
