import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/envoy/json.ts';
import { mergeMessages } from '../../src/sidecar/message-merge.ts';

const merge = (base: JsonObject, patch: JsonObject): JsonObject => mergeMessages('envoy.config.bootstrap.v3.Bootstrap', base, patch);

describe("Envoy's merge of an override", () => {
  it('merges messages field by field', () => {
    expect(merge({ node: { id: 'a', cluster: 'c' } }, { node: { id: 'b' } })).toEqual({ node: { id: 'b', cluster: 'c' } });
  });

  it('appends lists, so a second static cluster of one name is a duplicate', () => {
    const clusters = (name: string): JsonObject => ({ static_resources: { clusters: [{ name }] } });
    expect(merge(clusters('xds-grpc'), clusters('xds-grpc'))).toEqual({
      static_resources: { clusters: [{ name: 'xds-grpc' }, { name: 'xds-grpc' }] },
    });
  });

  it('replaces a key of a map, and of what is like one', () => {
    const metadata = (value: JsonObject): JsonObject => ({ node: { metadata: value } });
    expect(merge(metadata({ A: { x: 1 }, B: 1 }), metadata({ A: { y: 2 } }))).toEqual(metadata({ A: { y: 2 }, B: 1 }));
  });

  it('knows a field in either spelling', () => {
    const patch = { dynamicResources: { cdsConfig: { initialFetchTimeout: '15s' } } };
    const base = { dynamic_resources: { cds_config: { ads: {}, initial_fetch_timeout: '0s' } } };
    expect(merge(base, patch)).toEqual({ dynamic_resources: { cds_config: { ads: {}, initial_fetch_timeout: '15s' } } });
  });

  it('leaves what is there where the override says the default', () => {
    const timeout = (text: string): JsonObject => ({ dynamic_resources: { cds_config: { initial_fetch_timeout: text } } });
    expect(merge(timeout('15s'), timeout('0s'))).toEqual(timeout('15s'));
    expect(merge(timeout('1.5s'), timeout('2s'))).toEqual(timeout('2.5s'));
    expect(merge({ node: { id: 'a' } }, { node: { id: '' } })).toEqual({ node: { id: 'a' } });
  });

  it('keeps the later one of fields that exclude each other', () => {
    const socket = { socket_address: { address: '127.0.0.1', port_value: 1 } };
    expect(merge({ admin: { address: socket } }, { admin: { address: { pipe: { path: 'p' } } } })).toEqual({
      admin: { address: { pipe: { path: 'p' } } },
    });
  });

  it('takes null for nothing and keeps what no message has', () => {
    expect(merge({ node: { id: 'a' } }, { node: null, unheard_of: 1 })).toEqual({ node: { id: 'a' }, unheard_of: 1 });
  });
});
