import { describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/envoy/bootstrap.ts';
import { rewriteXdsAddress, xdsAddress } from '../../src/envoy/xds-address.ts';

const address = { host: '127.0.0.1', port: 7 };
const at = (host: string, port: number) => [
  { lb_endpoints: [{ endpoint: { address: { socket_address: { address: host, port_value: port } } } }] },
];

describe('a bootstrap that is aimed at another control plane', () => {
  it('changes the cluster that ads_config names and the admin address, and nothing else', () => {
    const own = bootstrap({
      host: 'istiod.istio-system.svc',
      admin: { port: 15000 },
      merge: { admin: { profile_path: '/dev/null' }, layered_runtime: {} },
    });
    const moved = rewriteXdsAddress(own, address);
    expect(xdsAddress(own)).toEqual({ host: 'istiod.istio-system.svc', port: 15012 });
    expect(xdsAddress(moved)).toEqual(address);
    expect(moved['admin']).toEqual({ profile_path: '/dev/null', address: { socket_address: { address: '127.0.0.1', port_value: 0 } } });
    expect({ ...moved, admin: null, static_resources: null }).toEqual({ ...own, admin: null, static_resources: null });
  });

  it('may be written in camel case', () => {
    const own = {
      dynamicResources: { adsConfig: { grpcServices: [{ envoyGrpc: { clusterName: 'xds' } }] } },
      staticResources: {
        clusters: [
          { name: 'other', loadAssignment: { endpoints: [] } },
          { name: 'xds', type: 'STRICT_DNS', loadAssignment: {} },
        ],
      },
    };
    expect(rewriteXdsAddress(own, address)).toMatchObject({
      staticResources: {
        clusters: [
          { name: 'other', loadAssignment: { endpoints: [] } },
          { name: 'xds', type: 'STRICT_DNS', load_assignment: { endpoints: at('127.0.0.1', 7) } },
        ],
      },
    });
    expect(JSON.stringify(rewriteXdsAddress(own, address))).toContain('staticResources');
    expect(JSON.stringify(rewriteXdsAddress(own, address))).not.toContain('"static_resources"');
  });

  it('turns the Unix socket of a pilot-agent bootstrap into an address, with a type that takes a name', () => {
    const pipe = [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: './etc/istio/proxy/XDS' } } } }] }];
    const own = bootstrap({
      merge: { static_resources: { clusters: [{ name: 'xds-grpc', type: 'STATIC', load_assignment: { endpoints: pipe } }] } },
    });
    expect(xdsAddress(own)).toBeUndefined();
    const moved = rewriteXdsAddress(own, { host: 'localhost', port: 7 });
    expect(moved).toMatchObject({
      static_resources: { clusters: [{ type: 'STRICT_DNS', load_assignment: { endpoints: at('localhost', 7) } }] },
    });
  });

  it('may reach its control plane by google_grpc', () => {
    const own = {
      dynamic_resources: { ads_config: { grpc_services: [{ google_grpc: { target_uri: 'dns:///istiod:15010', stat_prefix: 'x' } }] } },
    };
    expect(xdsAddress(own)).toEqual({ host: 'istiod', port: 15010 });
    expect(rewriteXdsAddress(own, address)).toMatchObject({
      dynamic_resources: { ads_config: { grpc_services: [{ google_grpc: { target_uri: '127.0.0.1:7', stat_prefix: 'x' } }] } },
    });
  });

  it('keeps a cluster name that no static cluster has, since the failure may be wanted', () => {
    const own = bootstrap({ adsCluster: 'istiod-xds' });
    expect(rewriteXdsAddress(own, address)['static_resources']).toEqual(own['static_resources']);
  });

  it.each([
    [{}, 'there is no dynamic_resources.'],
    [{ dynamic_resources: { cds_config: {} } }, 'there is no dynamic_resources.ads_config.'],
    [{ dynamic_resources: { ads_config: { api_type: 'GRPC' } } }, 'dynamic_resources.ads_config has no grpc_services.'],
    [{ dynamic_resources: { ads_config: { grpc_services: [{}] } } }, 'names neither envoy_grpc.cluster_name nor google_grpc.target_uri.'],
  ])('is refused with what is missing: %j', (own, what) => {
    expect(() => rewriteXdsAddress(own, address)).toThrowError(
      expect.objectContaining({ code: 'bootstrap.invalid', message: expect.stringContaining(what) }),
    );
  });
});
