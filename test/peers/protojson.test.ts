import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../../src/protobuf/canonical-json.ts';
import { descriptorIndex } from '../../src/protobuf/descriptors.ts';
import { packageRoot } from '../../src/protobuf/package-root.ts';

interface Sample {
  readonly type: string;
  readonly hex: string;
  /** lowerCamel keys, enum names. */
  readonly json: unknown;
  /** Keys as in the .proto files, enum numbers. */
  readonly proto: unknown;
}

/** Every message of the set as Go's protobuf, the reference implementation, encodes it. */
function samplesFromGo(): readonly Sample[] {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-samples-'));
  try {
    const file = join(folder, 'samples.ndjson');
    const { status, stderr } = spawnSync(process.execPath, ['tools/descriptors.mjs', '--samples', file], {
      cwd: packageRoot(),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Sample);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it("every message of the set is read and written as Go's protojson does", () => {
  const samples = samplesFromGo();
  const differs = samples.filter(({ type, hex, json, proto }) => {
    const same = [Buffer.from(hex, 'hex'), encodeJson(type, json), encodeJson(type, proto)].every((bytes) =>
      isDeepStrictEqual(decodeJson(type, bytes), json),
    );
    return !same;
  });
  expect(differs.map(({ type }) => type)).toEqual([]);
  const sampled = new Set(samples.map(({ type }) => type));
  expect(
    descriptorIndex()
      .messageNames()
      .filter(
        (name) =>
          !sampled.has(name) && !/^google\.protobuf\.\w*(File|Descriptor|Option|SourceCodeInfo|Generated|Uninterpreted|Feature)/.test(name),
      ),
  ).toEqual([]);
}, 120_000);
