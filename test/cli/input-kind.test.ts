import { describe, expect, it } from 'vitest';
import { recognise } from '../../src/cli/input-kind.ts';
import { readDocument } from '../../src/protobuf/document.ts';

const kinds: readonly (readonly [what: string, text: string, kind: string])[] = [
  ['a scenario', 'title: x\nserve: {}\nsteps: []', 'scenario'],
  ['a scenario with wishes for a bootstrap', 'title: x\nbootstrap: { fetch_timeout: 1s }\nexpect: []', 'scenario'],
  ['a bootstrap', 'static_resources: {}\nadmin: {}', 'bootstrap'],
  ['a bootstrap in camel case', '{"dynamicResources": {}}', 'bootstrap'],
  ['a bootstrap of node and admin', 'node: { id: a }\nadmin: {}', 'bootstrap'],
  ['lists of resources', 'clusters: []\nlisteners: []', 'resources'],
  ['a bare list', '- name: a', 'resources'],
  ['a config_dump', 'configs: []', 'resources'],
  ['one resource', '"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster', 'resources'],
  ['a DiscoveryResponse', 'version_info: "1"\nresources: []', 'resources'],
  ['a ConfigMap', 'apiVersion: v1\nkind: ConfigMap\ndata: { bootstrap.json: "{}" }', 'other'],
  ['a Deployment', 'apiVersion: apps/v1\nkind: Deployment', 'other'],
  ["gRPC's bootstrap", '{"xds_servers": []}', 'other'],
  ['a bootstrap of the v1 API', 'listeners: []\ncluster_manager: { clusters: [] }', 'other'],
  ['a mesh config', 'defaultConfig: {}\nrootNamespace: istio-system', 'other'],
];

describe('what a file is', () => {
  it.each(kinds)('is told by its content: %s', (_, text, kind) => {
    expect(recognise(readDocument({ name: 'x.yaml', bytes: Buffer.from(text) })).kind).toBe(kind);
  });

  it('names the part of a ConfigMap that may be meant', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\ndata: { custom_bootstrap.json: "{}" }';
    expect(recognise(readDocument({ name: 'x.yaml', bytes: Buffer.from(text) }))).toEqual({
      kind: 'other',
      what: 'is a Kubernetes ConfigMap, not what Envoy reads',
      remedy: 'Its data.custom_bootstrap.json may be what you mean: save that as a file of its own',
    });
  });
});
