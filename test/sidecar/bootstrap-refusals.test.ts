import { describe, expect, it } from 'vitest';
import { makeBootstrap } from '../../src/sidecar/make-bootstrap.ts';
import { overrideText } from '../../src/sidecar/bootstrap-override.ts';
import { readDocument } from '../../src/protobuf/document.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { manifestText } from './manifest-text.ts';

function made(args: string): object {
  const manifest = readManifest({ name: 'm.yaml', bytes: Buffer.from(manifestText({ args })) });
  const [workload] = manifest.workloads;
  if (!workload) throw new Error('the manifest has no proxy');
  return makeBootstrap(manifest, workload, { shape: 'pilot-agent', podIps: ['10.0.0.7'], podName: 'payments-1' }).bootstrap;
}

describe('a container that does not run pilot-agent proxy', () => {
  it.each([
    ['an Envoy with a file of its own', '[envoy, -c, my.yaml]', 'istio-proxy runs "envoy -c my.yaml", not `pilot-agent proxy …`'],
    ['words that pilot-agent does not know', '[my, args]', 'istio-proxy runs "my args", not `pilot-agent proxy …`'],
    ['nothing', '[]', 'istio-proxy runs no command and no args'],
  ])('has no bootstrap that pilot-agent makes: %s', (_, args, words) => {
    expect(() => made(args)).toThrow(words);
  });

  it('is not meant where a shell starts it', () => {
    expect(made('[/bin/sh, -c, "sleep 1; exec pilot-agent proxy sidecar"]')).toHaveProperty('node.id');
  });
});

describe('a bootstrap override', () => {
  function notes(override: string): readonly string[] {
    const manifest = readManifest({ name: 'm.yaml', bytes: Buffer.from(manifestText()) });
    const [workload] = manifest.workloads;
    if (!workload) throw new Error('the manifest has no proxy');
    const at = { file: 'o.yaml', line: 4 };
    const pod = { podIps: ['10.0.0.7'], podName: 'payments-1' };
    return makeBootstrap(manifest, workload, { shape: 'pilot-agent', ...pod, override: { text: override, at } })
      .notes.filter((note) => note.at?.file === 'o.yaml')
      .map(({ what }) => what);
  }

  it('of the old API is told, field for field', () => {
    expect(notes('{ tracing: { http: { name: envoy.zipkin, config: {} } } }')).toEqual([
      expect.stringMatching(/^the bootstrap override, tracing\.http\.config: "config" is a field of Envoy's old API v2 .* or exits$/),
    ]);
  });

  it('with fields of something else is told', () => {
    expect(notes('{ defaultConfig: {}, admin: {} }')).toEqual([expect.stringContaining('unknown field "defaultConfig"')]);
  });

  it('that is right has no note', () => expect(notes('{ stats_config: { stats_tags: [] } }')).toEqual([]));

  it('is no Kubernetes object but the ConfigMap', () => {
    const read = (text: string): object => overrideText(readDocument({ name: 'o.yaml', bytes: Buffer.from(text) }));
    expect(() => read('apiVersion: v1\nkind: Pod\n')).toThrow('o.yaml:2:7: kind: is a Kubernetes Pod, not a bootstrap override');
    expect(read('apiVersion: v1\nkind: ConfigMap\ndata: { custom_bootstrap.json: "{}" }\n')).toMatchObject({ text: '{}' });
  });
});
