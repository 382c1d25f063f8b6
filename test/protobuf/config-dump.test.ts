import { describe, expect, it } from 'vitest';
import { errorOf } from './in-memory.ts';
import { load, prefix, types } from './loaded.ts';

describe('a config_dump', () => {
  const dump = (section: string, body: string): string => `{"configs": [{"@type": "${prefix}envoy.admin.v3.${section}", ${body}}]}`;
  const cluster = (name: string): string => `{"@type": "${prefix}${types.Cluster}", "name": "${name}"}`;
  const secret = (name: string, body = ''): string => `{"@type": "${prefix}${types.Secret}", "name": "${name}"${body}}`;
  const listener = (name: string): string => `{"@type": "${prefix}${types.Listener}", "name": "${name}"}`;

  it('gives static, active and warming resources, of two the warming one', () => {
    const text = dump(
      'ClustersConfigDump',
      `"static_clusters": [{"cluster": ${cluster('s')}}], "dynamicActiveClusters": [{"cluster": ${cluster('a')}}, {"cluster": ${cluster('b')}}], "dynamic_warming_clusters": [{"cluster": ${cluster('b')}}]`,
    );
    const { resources, warnings } = load(text);
    expect(resources).toEqual(['Cluster s', 'Cluster a', 'Cluster b']);
    expect(warnings).toEqual([expect.stringContaining('"b" stands twice in the dump (active and warming). The warming one is served')]);
  });

  it('leaves the nameless listeners of the bootstrap out, and says so', () => {
    const nameless = `{"listener": {"@type": "${prefix}${types.Listener}"}}`;
    const text = dump('ListenersConfigDump', `"static_listeners": [${nameless}, {"listener": ${listener('l')}}, ${nameless}]`);
    expect(load(text)).toEqual({
      resources: ['Listener l'],
      warnings: [expect.stringContaining('2 static listeners without a name are not served: they are part of the bootstrap')],
    });
  });

  it('leaves out what a listener drains or had rejected, and says the latter', () => {
    const text = dump(
      'ListenersConfigDump',
      `"dynamic_listeners": [{"name": "l", "active_state": {"listener": ${listener('l')}}, "draining_state": {"listener": ${listener('old')}}, "error_state": {"failed_configuration": ${listener('bad')}, "details": "no"}}]`,
    );
    expect(load(text)).toEqual({
      resources: ['Listener l'],
      warnings: [expect.stringContaining('"l" has an update that the proxy rejected: no. The last good one is served')],
    });
  });

  it.each([
    [
      'one section alone',
      dump('SecretsConfigDump', `"dynamic_active_secrets": [{"name": "n", "secret": ${secret('n')}}]`).slice(13, -2),
      'Secret n',
    ],
    ['what ?resource= gives', dump('ClustersConfigDump.DynamicCluster', `"cluster": ${cluster('c')}`), 'Cluster c'],
    [
      'what egctl prints around it',
      `{"ns": {"pod": {"configDump": ${dump('ClustersConfigDump', `"static_clusters": [{"cluster": ${cluster('c')}}]`)}}}}`,
      'Cluster c',
    ],
    [
      'scoped routes',
      dump(
        'ScopedRoutesConfigDump',
        `"dynamic_scoped_route_configs": [{"name": "x", "scoped_route_configs": [{"@type": "${prefix}envoy.config.route.v3.ScopedRouteConfiguration", "name": "sr"}]}]`,
      ),
      'ScopedRouteConfiguration sr',
    ],
    [
      'endpoints',
      dump(
        'EndpointsConfigDump',
        `"dynamic_endpoint_configs": [{"endpoint_config": {"@type": "${prefix}envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "e"}}]`,
      ),
      'ClusterLoadAssignment e',
    ],
    [
      'extension configs',
      dump(
        'EcdsConfigDump',
        `"ecds_filters": [{"ecds_filter": {"@type": "${prefix}envoy.config.core.v3.TypedExtensionConfig", "name": "x"}}]`,
      ),
      'TypedExtensionConfig x',
    ],
    [
      'nothing but a bootstrap',
      dump('BootstrapConfigDump', '"bootstrap": {"static_resources": {"clusters": [{"name": "c"}]}}'),
      'Cluster c',
    ],
  ])('is read in the form of %s', (_, text, expected) => {
    expect(load(text)).toEqual({ resources: [expected], warnings: [] });
  });

  it('warns of a redacted secret, in both of its spellings', () => {
    const key = (source: string): string => `, "tls_certificate": {"private_key": {${source}}}`;
    const text = dump(
      'SecretsConfigDump',
      `"static_secrets": [{"secret": ${secret('a', key('"inline_string": "[redacted]"'))}}, {"secret": ${secret('b', key('"inline_bytes": "W3JlZGFjdGVkXQ=="'))}}]`,
    );
    expect(load(text).warnings).toEqual(['a', 'b'].map((name) => expect.stringContaining(`the secret "${name}" is redacted`) as string));
  });

  it('of the old API is one problem, whether its sections are a list or, as before Envoy 1.9, a mapping', () => {
    const sections = ['Clusters', 'Listeners'].map((name) => `{"@type": "${prefix}envoy.admin.v2alpha.${name}ConfigDump"}`);
    const words = "envoy.admin.v2alpha.ClustersConfigDump is of Envoy's API v2, which Envoy dropped in 2021 (2 such sections here)";
    for (const configs of [`[${sections.join(', ')}]`, `{"clusters": ${sections[0]}, "listeners": ${sections[1]}}`]) {
      const { message, problems } = errorOf(() => load(`{"configs": ${configs}}`));
      expect(message).toContain(words);
      expect(problems).toHaveLength(1);
    }
  });

  it('of Envoy before 1.18 is one error, however many resources it has', () => {
    const old = `{"cluster": {"@type": "${prefix}envoy.api.v2.Cluster", "hosts": []}}`;
    const error = errorOf(() => load(dump('ClustersConfigDump', `"static_clusters": [${old}, ${old}]`)));
    expect(error.problems).toEqual([
      expect.stringContaining(
        `envoy.api.v2.Cluster belongs to Envoy's API v2, which Envoy dropped in 2021 (2 such resources here); only API v3 is served. The v3 type is ${prefix}${types.Cluster}`,
      ),
    ]);
    expect(errorOf(() => load(`{"configs": [{"@type": "${prefix}envoy.admin.v2alpha.ClustersConfigDump"}]}`)).message).toContain(
      "envoy.admin.v2alpha.ClustersConfigDump is of Envoy's API v2",
    );
  });

  it('with unnamed inline routes leaves them to their listeners', () => {
    const text = dump(
      'RoutesConfigDump',
      `"static_route_configs": [{"route_config": {"@type": "${prefix}envoy.config.route.v3.RouteConfiguration"}}]`,
    );
    expect(load(text)).toEqual({
      resources: [],
      warnings: [expect.stringContaining('1 route configurations without a name are not served')],
    });
  });
});
