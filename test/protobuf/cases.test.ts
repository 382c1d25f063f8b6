import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeIstiodError } from '../../src/errors.ts';
import { decodeJson, encodeJson } from '../../src/protobuf/canonical-json.ts';
import { readDocument } from '../../src/protobuf/document.ts';
import { packageRoot } from '../../src/protobuf/package-root.ts';
import { loadResources } from '../../src/protobuf/resource-file.ts';

// Real files of Istio, Envoy, Envoy Gateway, Kuma and others, which lie beside the checkout and are not part of it.
const cases = join(packageRoot(), '..', 'shared', 'cases');
const here = existsSync(cases);
if (!here) console.warn(`skipped: real files are expected in ${cases}`);

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]));
}

const files = ['xds', 'config_dumps', 'bootstraps'].flatMap((kind) => filesIn(join(cases, kind)));

/** Those that cannot be served, and the reason that the user must be told. */
const refused: Readonly<Record<string, RegExp>> = {
  'xds/x12-sovereign/': /looks like a template/,
  'config_dumps/d02-': /envoy\.api\.v2\.Cluster belongs to Envoy's API v2/,
  'config_dumps/d12-': /envoy\.api\.v2\.Cluster belongs to Envoy's API v2/,
  'bootstraps/b01-': /field of Envoy's old API v2/,
  'bootstraps/b02-': /field of Envoy's old API v2/,
  'bootstraps/b03-': /field of Envoy's old API v2/,
  'bootstraps/b13-': /looks like a template/,
  'bootstraps/b15-': /Kubernetes object \(kind: ConfigMap\)/,
  'bootstraps/b16-': /Kubernetes object \(kind: ConfigMap\)/,
  'bootstraps/b17-': /Kubernetes object \(kind: ConfigMap\)/,
  'bootstraps/b25-': /nothing says what this is/,
  'bootstraps/b26-': /found "HOST_PORT"/,
  'bootstraps/b28-': /found "HOST_PORT"/,
  'bootstraps/b30-': /found "HOST_PORT"/,
  'bootstraps/b31-': /found "HOST_PORT"/,
  'bootstraps/b36-': /:95:1: not valid YAML/,
  'bootstraps/b60-': /API v1/,
  'bootstraps/b61-': /belongs to Envoy's API v2/,
  'bootstraps/b63-': /unknown field "scheme"/,
};

describe.skipIf(!here)('a real file', () => {
  it.each(files.map((file) => [relative(cases, file), file]))('%s is read, or refused for a reason', (name, file) => {
    const reason = Object.entries(refused).find(([start]) => name.startsWith(start))?.[1];
    if (reason) {
      expect(() => loadResources(readDocument(file))).toThrow(FakeIstiodError);
      expect(() => loadResources(readDocument(file))).toThrow(reason);
      return;
    }
    for (const { typeUrl, value } of loadResources(readDocument(file)).resources) {
      const type = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
      const json = decodeJson(type, value);
      expect(decodeJson(type, encodeJson(type, json))).toEqual(json);
    }
  });

  it('is among the many that are there', () => {
    expect(files.length).toBeGreaterThan(50);
  });
});
