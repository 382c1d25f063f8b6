import { describe, expect, it } from 'vitest';
import { bootstrapFindings } from '../../src/sidecar/bootstrap-findings.ts';
import { scenarioBootstrap } from '../../src/cli/scenario-bootstrap.ts';
import { problemText } from '../../src/errors.ts';
import { mergeJson, type JsonObject } from '../../src/envoy/index.ts';
import { readDocument } from '../../src/protobuf/document.ts';

/** Our own bootstrap with something changed, and what is found in it. */
function found(change: JsonObject = {}): readonly string[] {
  const text = JSON.stringify(mergeJson(scenarioBootstrap(undefined, {}), change), undefined, 1);
  return bootstrapFindings(readDocument({ name: 'b.json', bytes: Buffer.from(text) })).findings.map(problemText);
}

const adsConfig = (cluster: string): JsonObject => ({ grpc_services: [{ envoy_grpc: { cluster_name: cluster } }] });

describe('what Envoy does not say of a bootstrap', () => {
  it('is nothing for our own one', () => expect(found()).toEqual([]));

  it('is that the ADS cluster is not among the static ones, with both names and the place', () => {
    expect(found({ dynamic_resources: { ads_config: adsConfig('xds-grcp') } })).toEqual([
      'b.json:38:23: dynamic_resources.ads_config.grpc_services[0].envoy_grpc.cluster_name: the xDS cluster "xds-grcp" is not among the ' +
        'static clusters (there is only "xds-grpc"): Envoy exits with `Unknown gRPC client cluster \'xds-grcp\'`, in a pod a CrashLoop. ' +
        'Did you mean "xds-grpc"?',
    ]);
  });

  it('names the only cluster even if its name is no misspelling', () => {
    expect(found({ dynamic_resources: { ads_config: adsConfig('istiod-xds') } })[0]).toMatch(/Did you mean "xds-grpc"\?$/);
  });

  it('says that there are no static clusters at all', () => {
    expect(found({ static_resources: null })[0]).toContain('(there are none)');
  });

  it('is that the xDS cluster does not speak HTTP/2', () => {
    const cluster = { name: 'xds-grpc', type: 'STATIC' };
    expect(found({ static_resources: { clusters: [cluster] } })).toEqual([
      expect.stringContaining('the xDS cluster "xds-grpc" does not speak HTTP/2'),
    ]);
  });

  it('takes the old field for HTTP/2 too, in either case of letters', () => {
    const cluster = { name: 'xds-grpc', http2ProtocolOptions: {} };
    expect(found({ static_resources: { clusters: [cluster] } })).toEqual([]);
  });

  it('is that a fetch timeout ends in a false LIVE', () => {
    const cds = { ads: {}, initial_fetch_timeout: '15s' };
    expect(found({ dynamic_resources: { cds_config: cds } })).toEqual([
      expect.stringMatching(
        /^b\.json:\d+:\d+: dynamic_resources\.cds_config\.initial_fetch_timeout: initial_fetch_timeout of cds_config is 15s: .*false LIVE/,
      ),
    ]);
  });

  it("is that without one Envoy's default holds", () => {
    expect(found({ dynamic_resources: { lds_config: { initial_fetch_timeout: null } } })).toEqual([
      expect.stringContaining('lds_config has no initial_fetch_timeout'),
    ]);
  });

  it.each(['0s', '0.000s'])('is nothing for a timeout of %s', (timeout) => {
    expect(found({ dynamic_resources: { cds_config: { initial_fetch_timeout: timeout } } })).toEqual([]);
  });

  it('is nothing of the sort for configuration out of a file', () => {
    expect(
      found({ dynamic_resources: { cds_config: { ads: null, initial_fetch_timeout: null, path_config_source: { path: '/a' } } } }),
    ).toEqual([]);
  });
});
