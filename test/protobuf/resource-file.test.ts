import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/errors.ts';
import { decodeJson } from '../../src/protobuf/canonical-json.ts';
import { loadResources, resourcesOf, type LoadOptions } from '../../src/protobuf/resource-file.ts';
import { documentOf, errorOf } from './in-memory.ts';

const prefix = 'type.googleapis.com/';
const types = { Cluster: 'envoy.config.cluster.v3.Cluster', Listener: 'envoy.config.listener.v3.Listener', Secret: 'envoy.extensions.transport_sockets.tls.v3.Secret' };

function load(text: string, file = 'x.yaml', options: LoadOptions = {}): { readonly resources: readonly string[]; readonly warnings: readonly string[] } {
  const { resources, warnings } = loadResources(documentOf(text, file), options);
  return { resources: resources.map(({ typeUrl, name }) => `${typeUrl.replace(/^.*\./, '')} ${name}`), warnings: warnings.map(problemText) };
}

describe('resources of a file', () => {
  it.each([
    ['static_resources of a bootstrap', 'admin: {}\nstatic_resources:\n  clusters: [{name: c}]\n  listeners: [{name: l}]\n  secrets: [{name: s}]', ['Cluster c', 'Listener l', 'Secret s']],
    ['staticResources', '{"staticResources": {"clusters": [{"name": "c"}]}}', ['Cluster c']],
    ['a filesystem DiscoveryResponse', `version_info: "1"\nresources: [{"@type": ${prefix}${types.Cluster}, name: c}]`, ['Cluster c']],
    ['a DiscoveryResponse that names its type once', `type_url: ${prefix}${types.Listener}\nnonce: x\nresources: [{name: l}]`, ['Listener l']],
    ['a DiscoveryResponse with an @type', `"@type": ${prefix}envoy.service.discovery.v3.DiscoveryResponse\nresources: [{"@type": ${prefix}${types.Listener}, name: l}]`, ['Listener l']],
    ['wrapped resources', `resources: [{name: outer, version: v, resource: {"@type": ${prefix}${types.Cluster}, name: inner}}]`, ['Cluster outer']],
    ['lists under their keys', 'clusters: [{name: c}]\nendpoints: [{cluster_name: e}]\nlisteners: []\nroutes:\nrouteConfigs: [{name: r}]\nscoped_routes: [{name: s}]\nruntimes: [{name: rt}]\nvirtual_hosts: [{name: v}]\nextension_configs: [{name: x}]', ['Cluster c', 'ClusterLoadAssignment e', 'RouteConfiguration r', 'ScopedRouteConfiguration s', 'Runtime rt', 'VirtualHost v', 'TypedExtensionConfig x']],
    ['one resource for a list', 'clusters: {name: c}', ['Cluster c']],
    ['one resource with its type', `"@type": ${prefix}${types.Cluster}\nname: c`, ['Cluster c']],
    ['a list of resources with their types', `- {"@type": ${prefix}${types.Cluster}, name: c}\n- {"@type": ${prefix}${types.Listener}}`, ['Cluster c', 'Listener ']],
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

  it('take their type from their fields when nothing else tells it, and say so', () => {
    const { resources, warnings } = load('- {name: c, connect_timeout: 1s}\n- {name: l, filter_chains: []}\n- {clusterName: e}\n- {name: r, virtualHosts: []}\n- {name: s, tls_certificate: {}}');
    expect(resources).toEqual(['Cluster c', 'Listener l', 'ClusterLoadAssignment e', 'RouteConfiguration r', 'Secret s']);
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toBe(`x.yaml:1:3: [0]: no "@type" says what this is; by its fields it is taken for a ${types.Cluster}. Put it under its key (clusters, listeners, ...) or add "@type"`);
  });

  it('carry bytes, version, lifetime and place', () => {
    const { resources } = loadResources(documentOf(`resources:\n  - {name: c, version: v7, ttl: 1.5s, resource: {"@type": ${prefix}${types.Cluster}, name: c, type: EDS}}`));
    expect(resources).toMatchObject([{ typeUrl: prefix + types.Cluster, name: 'c', version: 'v7', ttlMs: 1500, at: { file: 'x.yaml', line: 2, path: 'resources[0].resource' } }]);
    expect(decodeJson(types.Cluster, resources[0]?.value ?? new Uint8Array())).toEqual({ name: 'c', type: 'EDS' });
  });

  it('inside another document know their place there, and their type from the key they stand under', () => {
    const document = documentOf('serve:\n  clusters:\n    - name: c\n    - nam: d');
    const at = (path: readonly (string | number)[], of?: 'key' | 'value'): ReturnType<typeof document.positionOf> => document.positionOf(['serve', 'clusters', ...path], of);
    const value = (document.value as { serve: { clusters: unknown[] } }).serve.clusters;
    expect(errorOf(() => resourcesOf(value, at, { contextKey: 'clusters' })).message).toBe(`x.yaml:4:7: serve.clusters[1].nam: unknown field "nam" in ${types.Cluster}. Did you mean "name"?`);
    expect(resourcesOf(value.slice(0, 1), at, { contextKey: 'clusters' }).resources[0]).toMatchObject({ name: 'c', at: { line: 3 } });
  });
});

describe('a config_dump', () => {
  const dump = (section: string, body: string): string => `{"configs": [{"@type": "${prefix}envoy.admin.v3.${section}", ${body}}]}`;
  const cluster = (name: string): string => `{"@type": "${prefix}${types.Cluster}", "name": "${name}"}`;
  const secret = (name: string, body = ''): string => `{"@type": "${prefix}${types.Secret}", "name": "${name}"${body}}`;
  const listener = (name: string): string => `{"@type": "${prefix}${types.Listener}", "name": "${name}"}`;

  it('gives static, active and warming resources, of two the warming one', () => {
    const text = dump('ClustersConfigDump', `"static_clusters": [{"cluster": ${cluster('s')}}], "dynamicActiveClusters": [{"cluster": ${cluster('a')}}, {"cluster": ${cluster('b')}}], "dynamic_warming_clusters": [{"cluster": ${cluster('b')}}]`);
    const { resources, warnings } = load(text);
    expect(resources).toEqual(['Cluster s', 'Cluster a', 'Cluster b']);
    expect(warnings).toEqual([expect.stringContaining('"b" stands twice in the dump (active and warming). The warming one is served')]);
  });

  it('leaves out what a listener drains or had rejected, and says the latter', () => {
    const text = dump('ListenersConfigDump', `"dynamic_listeners": [{"name": "l", "active_state": {"listener": ${listener('l')}}, "draining_state": {"listener": ${listener('old')}}, "error_state": {"failed_configuration": ${listener('bad')}, "details": "no"}}]`);
    expect(load(text)).toEqual({ resources: ['Listener l'], warnings: [expect.stringContaining('"l" has an update that the proxy rejected: no. The last good one is served')] });
  });

  it.each([
    ['one section alone', dump('SecretsConfigDump', `"dynamic_active_secrets": [{"name": "n", "secret": ${secret('n')}}]`).slice(13, -2), 'Secret n'],
    ['what ?resource= gives', dump('ClustersConfigDump.DynamicCluster', `"cluster": ${cluster('c')}`), 'Cluster c'],
    ['what egctl prints around it', `{"ns": {"pod": {"configDump": ${dump('ClustersConfigDump', `"static_clusters": [{"cluster": ${cluster('c')}}]`)}}}}`, 'Cluster c'],
    ['scoped routes', dump('ScopedRoutesConfigDump', `"dynamic_scoped_route_configs": [{"name": "x", "scoped_route_configs": [{"@type": "${prefix}envoy.config.route.v3.ScopedRouteConfiguration", "name": "sr"}]}]`), 'ScopedRouteConfiguration sr'],
    ['endpoints', dump('EndpointsConfigDump', `"dynamic_endpoint_configs": [{"endpoint_config": {"@type": "${prefix}envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "e"}}]`), 'ClusterLoadAssignment e'],
    ['extension configs', dump('EcdsConfigDump', `"ecds_filters": [{"ecds_filter": {"@type": "${prefix}envoy.config.core.v3.TypedExtensionConfig", "name": "x"}}]`), 'TypedExtensionConfig x'],
    ['nothing but a bootstrap', dump('BootstrapConfigDump', '"bootstrap": {"static_resources": {"clusters": [{"name": "c"}]}}'), 'Cluster c'],
  ])('is read in the form of %s', (_, text, expected) => {
    expect(load(text)).toEqual({ resources: [expected], warnings: [] });
  });

  it('warns of a redacted secret, in both of its spellings', () => {
    const key = (source: string): string => `, "tls_certificate": {"private_key": {${source}}}`;
    const text = dump('SecretsConfigDump', `"static_secrets": [{"secret": ${secret('a', key('"inline_string": "[redacted]"'))}}, {"secret": ${secret('b', key('"inline_bytes": "W3JlZGFjdGVkXQ=="'))}}]`);
    expect(load(text).warnings).toEqual(['a', 'b'].map((name) => expect.stringContaining(`the secret "${name}" is redacted`) as string));
  });

  it('of Envoy before 1.18 is one error, however many resources it has', () => {
    const old = `{"cluster": {"@type": "${prefix}envoy.api.v2.Cluster", "hosts": []}}`;
    const error = errorOf(() => load(dump('ClustersConfigDump', `"static_clusters": [${old}, ${old}]`)));
    expect(error.problems).toEqual([expect.stringContaining(`envoy.api.v2.Cluster belongs to Envoy's API v2, which Envoy dropped in 2021 (2 such resources here); only API v3 is served. The v3 type is ${prefix}${types.Cluster}`)]);
    expect(errorOf(() => load(`{"configs": [{"@type": "${prefix}envoy.admin.v2alpha.ClustersConfigDump"}]}`)).message).toContain('envoy.admin.v2alpha.ClustersConfigDump is of Envoy\'s API v2');
  });

  it('with unnamed inline routes leaves them to their listeners', () => {
    const text = dump('RoutesConfigDump', `"static_route_configs": [{"route_config": {"@type": "${prefix}envoy.config.route.v3.RouteConfiguration"}}]`);
    expect(load(text)).toEqual({ resources: [], warnings: [expect.stringContaining('1 route configurations without a name are not served')] });
  });
});

describe('a resource file that is wrong', () => {
  it.each([
    ['a word', 'hello', 'input.unrecognised', 'x.yaml:1:1: holds "hello", no Envoy resources'],
    ['a Kubernetes object', 'apiVersion: v1\nkind: ConfigMap', 'input.unrecognised', 'x.yaml:1:1: is a Kubernetes object (kind: ConfigMap), no Envoy configuration'],
    ['API v1', 'listeners: []\ncluster_manager: {clusters: []}', 'input.unrecognised', "x.yaml:1:1: is configuration of Envoy's API v1 (2017)"],
    ['keys that mean nothing', 'foo: 1\nbar: 2', 'input.unrecognised', 'x.yaml:1:1: is in no form that holds Envoy resources (its keys: foo, bar)'],
    ['two proxies', '{a: {configs: []}, b: {configs: []}}', 'input.unrecognised', 'x.yaml:1:1: holds the config_dumps of 2 proxies (a, b)'],
    ['a misspelt key', 'clusters: []\nlistners: []', 'resource.invalid', 'x.yaml:2:1: listners: unknown key "listners". Did you mean "listeners"?'],
    ['a misspelt key of a bootstrap', 'static_resources: {cluster: [], lisseners: []}', 'resource.invalid', 'x.yaml:1:33: static_resources.lisseners: unknown key "lisseners". Did you mean "listeners"?'],
    ['a list item that is none', 'clusters: [a]', 'resource.invalid', 'x.yaml:1:12: clusters[0]: expected a resource (a mapping), found "a"'],
    ['a typo beside a resource', `resources: [{nam: a, resource: {"@type": ${prefix}${types.Cluster}}}]`, 'resource.invalid', 'x.yaml:1:14: resources[0].nam: unknown field "nam" beside "resource". Did you mean "name"?'],
    ['a lifetime without unit', `resources: [{ttl: 3, resource: {"@type": ${prefix}${types.Cluster}}}]`, 'resource.invalid', 'x.yaml:1:19: resources[0].ttl: expected a duration, found the number 3. Write it in seconds with the unit: 30s'],
    ['a resource of no known type', 'resources: [{foo: 1}]', 'resource.invalid', 'x.yaml:1:13: resources[0]: nothing says what this is. Put it under its key (clusters, listeners, ...) or add "@type"'],
    ['a duplicate', 'clusters:\n  - name: c\n  - name: c', 'resource.invalid', 'x.yaml:3:5: clusters[1]: a second Cluster named "c" (the first: x.yaml:2). Rename or remove one, or allow duplicates to serve both on purpose'],
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
    expect(load('node: {id: a}\nadmin: {}').warnings).toEqual(['x.yaml:1:1: is an Envoy bootstrap without static_resources: it holds nothing to serve']);
  });
});
