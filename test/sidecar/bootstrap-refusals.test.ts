import { describe, expect, it } from 'vitest';
import { makeBootstrap } from '../../src/sidecar/make-bootstrap.ts';
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
