import { describe, expect, it } from 'vitest';
import { configNames } from '../../src/observe/config-names.ts';
import { valuesAt } from '../../src/observe/dump-path.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';

const dump = {
  configs: [
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
      static_clusters: [{ cluster: { name: 'xds-grpc' } }],
      dynamic_active_clusters: [{ version_info: 'v1', cluster: { name: 'a' } }, { cluster: { name: 'b' } }],
      dynamic_warming_clusters: [{ cluster: { name: 'c' } }],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump',
      dynamic_listeners: [
        { name: 'l1', active_state: { version_info: 'v1' } },
        { name: 'l2', active_state: {}, warming_state: {} },
        { name: 'l3', error_state: { details: 'no' } },
      ],
    },
    { dynamic_route_configs: [{ route_config: { name: 'r1' } }] },
    { dynamic_endpoint_configs: [{ endpoint_config: { cluster_name: 'a' } }] },
    { dynamic_active_secrets: [{ name: 'default' }], dynamic_warming_secrets: [{ name: 'ROOTCA' }] },
    { ecds_filters: [{ ecds_filter: { name: 'f1' } }] },
  ],
};

describe('names in a config_dump', () => {
  it.each([
    ['CDS, static clusters left out', TypeUrl.cluster, ['a', 'b'], ['c']],
    ['LDS, a listener being active and warming at once', TypeUrl.listener, ['l1', 'l2'], ['l2']],
    ['RDS', TypeUrl.route, ['r1'], []],
    ['EDS', TypeUrl.endpoint, ['a'], []],
    ['SDS', TypeUrl.secret, ['default'], ['ROOTCA']],
    ['ECDS', TypeUrl.extensionConfig, ['f1'], []],
  ])('are found for %s', (_, typeUrl, active, warming) => {
    expect(configNames(dump, typeUrl)).toEqual({ active, warming });
  });

  it('are not there for a type that no dump holds', () => {
    expect(configNames(dump, TypeUrl.nameTable)).toBeUndefined();
  });
});

describe('a path into a config_dump', () => {
  it('takes `*` for any member or key, a number for a place, and quotes for a key with dots', () => {
    expect(valuesAt(dump, 'configs.*.dynamic_active_clusters.*.cluster.name')).toEqual(['a', 'b']);
    expect(valuesAt(dump, 'configs.1.dynamic_listeners.2.error_state.*')).toEqual(['no']);
    expect(valuesAt(dump, 'configs[0]["@type"]')).toEqual([dump.configs[0]?.['@type']]);
    expect(valuesAt({ 'a.b': { c: 1 } }, '"a.b".c')).toEqual([1]);
  });

  it('finds nothing where there is nothing, not even what every object inherits', () => {
    expect(valuesAt(dump, 'configs.*.no_such_key')).toEqual([]);
    expect(valuesAt(dump, 'configs.0.toString')).toEqual([]);
    expect(valuesAt(dump, 'configs.length')).toEqual([]);
    expect(valuesAt(undefined, 'configs')).toEqual([]);
  });
});
