// Bundles the command: what is ours in one file, each larger library in a file of its own that is read when it is first needed.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Libraries that some command can do without, and those that would be read twice otherwise. */
const apart = [
  '@grpc/grpc-js',
  '@grpc/proto-loader',
  '@hono/node-server',
  '@peculiar/x509',
  'hono',
  'jose',
  'pino',
  'pino-pretty',
  'protobufjs/ext/descriptor.js',
  'protobufjs/ext/protojson.js',
  'protobufjs/ext/textformat.js',
  'protobufjs/light.js',
  'protobufjs/minimal.js',
  'reflect-metadata',
  'yaml',
];

/** CommonJS: Node reads it without its loader of ES modules, and a library may be asked for in the middle of a function. */
const shared = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  // `import()` as `require`: Node 20 forgets who may import in a script that it takes from V8's cache.
  supported: { 'dynamic-import': false },
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

const fileOf = (library) => `${library.replace(/^@/, '').replace(/\.js$/, '').replaceAll('/', '-')}.js`;

/** Calls `decide` with each import and the file that it means. */
function eachImport(decide) {
  const asked = Symbol('asked');
  return {
    name: 'each-import',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (kind === 'entry-point' || pluginData === asked) return undefined;
        const found = await resolve(path, { kind, resolveDir, importer, pluginData: asked });
        return found.errors.length > 0 ? undefined : decide(path, found.path);
      });
    },
  };
}

/** The main file of each library, as our sources import it. */
async function entriesOf(root) {
  const entries = new Map();
  const contents = apart.map((library) => `import '${library}';`).join('\n');
  const note = eachImport((library, file) => {
    entries.set(file, library);
    return { path: library, external: true };
  });
  await build({ ...shared, absWorkingDir: root, stdin: { contents, resolveDir: root }, write: false, plugins: [note] });
  return entries;
}

/** Writes `bin/fake-istiod.js`, in `bin/lib/` the program that it reads, and the libraries that this reaches. Gives the files that went into them. */
export async function bundleCommand(root, bin) {
  const entries = await entriesOf(root);
  const reached = new Map();
  const inputs = new Set();
  const bundle = async (input, outfile, more = {}) => {
    const linked = eachImport((_, file) => {
      if (file === input || !entries.has(file)) return undefined;
      reached.set(file, entries.get(file));
      return { path: `./${fileOf(entries.get(file))}`, external: true };
    });
    const { metafile } = await build({ ...shared, ...more, absWorkingDir: root, entryPoints: [input], outfile, plugins: [linked] });
    for (const name of Object.keys(metafile.inputs)) inputs.add(name);
  };
  const ownUrl = {
    banner: { js: `"use strict";const fileUrl=require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': 'fileUrl' },
  };
  const entry = join(bin, 'fake-istiod.js');
  await bundle('src/cli/entry.ts', entry);
  await bundle('src/cli/main.ts', join(bin, 'lib/program.js'), ownUrl);
  // A library may reach another one, which then joins the end of this very list.
  for (const [file, library] of reached) await bundle(file, join(bin, 'lib', fileOf(library)));
  // The package's own package.json says that .js is an ES module.
  writeFileSync(join(bin, 'package.json'), '{ "type": "commonjs" }\n');
  const text = readFileSync(entry, 'utf8');
  if (!text.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${text}`);
  chmodSync(entry, 0o755);
  return [...inputs];
}
