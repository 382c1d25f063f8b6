import { describe, expect, it } from 'vitest';
import { decodeJson } from '../../src/protobuf/canonical-json.ts';
import { loadResources, resourcesOf } from '../../src/protobuf/resource-file.ts';
import { documentOf, errorOf } from './in-memory.ts';
import { load, prefix, types } from './loaded.ts';

describe('resources of a file', () => {
  it.each([
    [
      'static_resources of a bootstrap',
      'admin: {}\nstatic_resources:\n  clusters: [{name: c}]\n  listeners: [{name: l}]\n  secrets: [{name: s}]',
      ['Cluster c', 'Listener l', 'Secret s'],
    ],
    ['staticResources', '{"staticResources": {"clusters": [{"name": "c"}]}}', ['Cluster c']],
    ['a filesystem DiscoveryResponse', `version_info: "1"\nresources: [{"@type": ${prefix}${types.Cluster}, name: c}]`, ['Cluster c']],
    [
      'a DiscoveryResponse that names its type once',
      `type_url: ${prefix}${types.Listener}\nnonce: x\nresources: [{name: l}]`,
      ['Listener l'],
    ],
    [
      'a DiscoveryResponse with an @type',
      `"@type": ${prefix}envoy.service.discovery.v3.DiscoveryResponse\nresources: [{"@type": ${prefix}${types.Listener}, name: l}]`,
      ['Listener l'],
    ],
    [
      'wrapped resources',
      `resources: [{name: outer, version: v, resource: {"@type": ${prefix}${types.Cluster}, name: inner}}]`,
      ['Cluster outer'],
    ],
    [
      'lists under their keys',
      'clusters: [{name: c}]\nendpoints: [{cluster_name: e}]\nlisteners: []\nroutes:\nrouteConfigs: [{name: r}]\nscoped_routes: [{name: s}]\nruntimes: [{name: rt}]\nvirtual_hosts: [{name: v}]\nextension_configs: [{name: x}]',
      [
        'Cluster c',
        'ClusterLoadAssignment e',
        'RouteConfiguration r',
        'ScopedRouteConfiguration s',
        'Runtime rt',
        'VirtualHost v',
        'TypedExtensionConfig x',
      ],
    ],
    ['one resource for a list', 'clusters: {name: c}', ['Cluster c']],
    ['one resource with its type', `"@type": ${prefix}${types.Cluster}\nname: c`, ['Cluster c']],
    [
      'a list of resources with their types',
      `- {"@type": ${prefix}${types.Cluster}, name: c}\n- {"@type": ${prefix}${types.Listener}}`,
      ['Cluster c', 'Listener '],
    ],
    ['several documents', 'clusters: [{name: c}]\n---\nlisteners: [{name: l}]', ['Cluster c', 'Listener l']],
    ['no resources', '{}', []],
    ['an empty list', '[]', []],
    ['raw bytes of an unknown type', '{name: n, typeUrl: a.b/foo.Bar, base64: aGk=}', ['Bar n']],
    ['raw bytes of a known type, which tell their name', `resources: [{typeUrl: ${prefix}${types.Cluster}, base64: CgFj}]`, ['Cluster c']],
    ['raw bytes that are broken', `clusters: [{name: bad, typeUrl: ${prefix}${types.Cluster}, base64: "//8="}]`, ['Cluster bad']],
    ['a wrapped raw resource', 'resources: [{name: n, resource: {typeUrl: a.b/foo.Bar, base64: aGk=}}]', ['Bar n']],
  ])('are found in %s', (_, text, expected) => {
    expect(load(text)).toEqual({ resources: expected, warnings: [] });
  });

  it.each([
    ['cds.yaml', '[{name: n}]', 'Cluster n'],
    ['http-route.clusters.yaml', '[{name: n}]', 'Cluster n'],
    ['my-endpoints.json', '[{"cluster_name": "n"}]', 'ClusterLoadAssignment n'],
    ['some/folder/lds.yml', '- name: n', 'Listener n'],
    ['listeners.golden.yaml', 'resources: [{name: n}]', 'Listener n'],
    ['secrets.yaml', '{name: n, validation_context: {}}', 'Secret n'],
    ['envoy.routes.out.yaml', '[{name: n}]', 'RouteConfiguration n'],
  ])('take their type from the file name %s', (file, text, expected) => {
    expect(load(text, file)).toEqual({ resources: [expected], warnings: [] });
  });

  it.each([
    ['says its type', `"@type": ${prefix}${types.Cluster}\nname: c\nbad: 1`, 'cds.yaml:3:1: bad: unknown field "bad"'],
    ['has it from the file', 'name: c\nconnect_timeout: 5', 'cds.yaml:2:18: connect_timeout: expected a duration'],
    ['comes second', `name: c\n---\nname: d\nbad: 1`, 'cds.yaml:4:1: bad: unknown field "bad"'],
  ])('know the place of each field in a file that is one resource and %s', (_, text, expected) => {
    expect(errorOf(() => load(text, 'cds.yaml')).message).toContain(expected);
  });

  it('may stand in a delta response; what it takes away is not served, and that is said', () => {
    const resource = `{name: c, version: v1, resource: {"@type": ${prefix}${types.Cluster}, name: c}}`;
    expect(load(`systemVersionInfo: v\nresources: [${resource}]\nremovedResources: [b]\nnonce: n`)).toEqual({
      resources: ['Cluster c'],
      warnings: ['x.yaml:3:19: removedResources: is no part of what is served: a client is told what is gone when it is taken away'],
    });
    expect(load(`resources: [${resource}]\nremoved_resources: []`).warnings).toEqual([]);
  });

  it('take their type from their fields when nothing else tells it, and say so', () => {
    const { resources, warnings } = load(
      '- {name: c, connect_timeout: 1s}\n- {name: l, filter_chains: []}\n- {clusterName: e}\n- {name: r, virtualHosts: []}\n- {name: s, tls_certificate: {}}',
    );
    expect(resources).toEqual(['Cluster c', 'Listener l', 'ClusterLoadAssignment e', 'RouteConfiguration r', 'Secret s']);
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toBe(
      `x.yaml:1:3: [0]: no "@type" says what this is; by its fields it is taken for a ${types.Cluster}. Put it under its key (clusters, listeners, ...) or add "@type"`,
    );
  });

  it('carry bytes, version, lifetime and place', () => {
    const { resources } = loadResources(
      documentOf(`resources:\n  - {name: c, version: v7, ttl: 1.5s, resource: {"@type": ${prefix}${types.Cluster}, name: c, type: EDS}}`),
    );
    expect(resources).toMatchObject([
      {
        typeUrl: prefix + types.Cluster,
        name: 'c',
        version: 'v7',
        ttlMs: 1500,
        at: { file: 'x.yaml', line: 2, path: 'resources[0].resource' },
      },
    ]);
    expect(decodeJson(types.Cluster, resources[0]?.value ?? new Uint8Array())).toEqual({ name: 'c', type: 'EDS' });
  });

  it('inside another document know their place there, and their type from the key they stand under', () => {
    const document = documentOf('serve:\n  clusters:\n    - name: c\n    - nam: d');
    const at = (path: readonly (string | number)[], of?: 'key' | 'value'): ReturnType<typeof document.positionOf> =>
      document.positionOf(['serve', 'clusters', ...path], of);
    const value = (document.value as { serve: { clusters: unknown[] } }).serve.clusters;
    expect(errorOf(() => resourcesOf(value, at, { contextKey: 'clusters' })).message).toBe(
      `x.yaml:4:7: serve.clusters[1].nam: unknown field "nam" in ${types.Cluster}. Did you mean "name"?`,
    );
    expect(resourcesOf(value.slice(0, 1), at, { contextKey: 'clusters' }).resources[0]).toMatchObject({ name: 'c', at: { line: 3 } });
  });
});

describe('a resource file that is wrong', () => {
  it.each([
    ['a word', 'hello', 'input.unrecognised', 'x.yaml:1:1: holds "hello", no Envoy resources'],
    [
      'a Kubernetes object',
      'apiVersion: v1\nkind: ConfigMap',
      'input.unrecognised',
      'x.yaml:1:1: is a Kubernetes object (kind: ConfigMap), no Envoy configuration',
    ],
    [
      'API v1',
      'listeners: []\ncluster_manager: {clusters: []}',
      'input.unrecognised',
      "x.yaml:1:1: is configuration of Envoy's API v1 (2017)",
    ],
    [
      'keys that mean nothing',
      'foo: 1\nbar: 2',
      'input.unrecognised',
      'x.yaml:1:1: is in no form that holds Envoy resources (its keys: foo, bar)',
    ],
    ['two proxies', '{a: {configs: []}, b: {configs: []}}', 'input.unrecognised', 'x.yaml:1:1: holds the config_dumps of 2 proxies (a, b)'],
    [
      'a misspelt key',
      'clusters: []\nlistners: []',
      'resource.invalid',
      'x.yaml:2:1: listners: unknown key "listners". Did you mean "listeners"?',
    ],
    [
      'a misspelt key of a bootstrap',
      'static_resources: {cluster: [], lisseners: []}',
      'resource.invalid',
      'x.yaml:1:33: static_resources.lisseners: unknown key "lisseners". Did you mean "listeners"?',
    ],
    [
      'a list item that is none',
      'clusters: [a]',
      'resource.invalid',
      'x.yaml:1:12: clusters[0]: expected a resource (a mapping), found "a"',
    ],
    [
      'a typo beside a resource',
      `resources: [{nam: a, resource: {"@type": ${prefix}${types.Cluster}}}]`,
      'resource.invalid',
      'x.yaml:1:14: resources[0].nam: unknown field "nam" beside "resource". Did you mean "name"?',
    ],
    [
      'a lifetime without unit',
      `resources: [{ttl: 3, resource: {"@type": ${prefix}${types.Cluster}}}]`,
      'resource.invalid',
      'x.yaml:1:19: resources[0].ttl: expected a duration, found the number 3. Write it in seconds with the unit: 30s',
    ],
    [
      'a resource of no known type',
      'resources: [{foo: 1}]',
      'resource.invalid',
      'x.yaml:1:13: resources[0]: nothing says what this is. Put it under its key (clusters, listeners, ...) or add "@type"',
    ],
    [
      'raw bytes under another key',
      '{name: n, typeUrl: a.b/foo.Bar, value: aGk=}',
      'resource.invalid',
      'x.yaml:1:1: has a typeUrl and no base64. A resource given as bytes is { name, typeUrl, base64 }',
    ],
    [
      'raw bytes that are left out, in a wrapper',
      'resources: [{name: n, resource: {type_url: a.b/foo.Bar}}]',
      'resource.invalid',
      'x.yaml:1:33: resources[0].resource: has a typeUrl and no base64. A resource given as bytes is { name, typeUrl, base64 }',
    ],
    [
      'a duplicate',
      'clusters:\n  - name: c\n  - name: c',
      'resource.invalid',
      'x.yaml:3:5: clusters[1]: a second Cluster named "c" (the first: x.yaml:2). Rename or remove one, or allow duplicates to serve both on purpose',
    ],
    [
      'a resource under the key of another type',
      `clusters:\n  - "@type": ${prefix}${types.Listener}\n    name: l`,
      'resource.invalid',
      'x.yaml:2:14: clusters[0].@type: is a Listener under "clusters". Put it under its own key, or under "resources"',
    ],
  ])('is told so for %s', (_, text, code, message) => {
    const error = errorOf(() => load(text));
    expect(error.code).toBe(code);
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.problems).toHaveLength(1);
  });

  it('may hold duplicates on purpose, and several listeners without a name', () => {
    expect(load('clusters: [{name: c}, {name: c}]', 'x.yaml', { allowDuplicates: true }).resources).toHaveLength(2);
    expect(load('listeners: [{}, {}]').resources).toEqual(['Listener ', 'Listener ']);
  });

  it('with very many problems tells the first twenty and counts the rest', () => {
    const { problems } = errorOf(() => load(`clusters: [${Array(50).fill('{nam: a}').join(', ')}]`));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('and 30 more problems');
  });

  it('without anything to serve warns, when it is a bootstrap', () => {
    expect(load('node: {id: a}\nadmin: {}').warnings).toEqual([
      'x.yaml:1:1: is an Envoy bootstrap without static_resources: it holds nothing to serve',
    ]);
  });
});

it('a number that its enum does not have is served, with a warning', () => {
  const { resources, warnings } = load('clusters: [{name: a, type: 99}, {name: b, type: "98"}, {name: c, type: 3}]');
  expect(resources).toEqual(['Cluster a', 'Cluster b', 'Cluster c']);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^x\.yaml:1:28: clusters\[0\]\.type: 99 is no value of the enum .*DiscoveryType; it is sent all the same\. One of STATIC, /,
    ),
    expect.stringContaining('clusters[1].type: 98 is no value'),
  ]);
});
