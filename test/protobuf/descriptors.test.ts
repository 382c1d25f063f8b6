import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import descriptor from 'protobufjs/ext/descriptor.js';
import { describe, expect, it, vi } from 'vitest';
import { descriptorIndex } from '../../src/protobuf/descriptors.ts';
import { findMessageType, messageType } from '../../src/protobuf/message-type.ts';
import { packageRoot } from '../../src/protobuf/package-root.ts';
import { errorOf } from './in-memory.ts';

describe('the descriptor set', () => {
  it.each([
    'envoy.service.discovery.v3.AggregatedDiscoveryService',
    'envoy.admin.v3.ConfigDump',
    'envoy.api.v2.Cluster',
    'udpa.type.v1.TypedStruct',
    'xds.type.v3.TypedStruct',
    'istio.networking.nds.v1.NameTable',
    'istio.workload.Address',
    'istio.workload.Workload',
    'istio.security.Authorization',
    'istio.mesh.v1alpha1.ProxyConfig',
    'istio.v1.auth.IstioCertificateService',
    'io.istio.http.peer_metadata.Config',
    'envoy.tcp.metadataexchange.config.MetadataExchange',
    'envoy.extensions.filters.http.golang.v3alpha.Config',
    'grpc.health.v1.Health',
    'grpc.reflection.v1.ServerReflection',
    'grpc.reflection.v1alpha.ServerReflection',
    'google.protobuf.FieldMask',
  ])('declares %s', (name) => {
    expect(descriptorIndex().fileOf(name)).toMatch(/\.proto$/);
  });

  it('stores each file after the files it imports, and says what the file says', () => {
    const index = descriptorIndex();
    const before = new Set<string>();
    for (const name of index.fileNames()) {
      const file = descriptor.FileDescriptorProto.decode(index.fileDescriptorBytes(name) ?? new Uint8Array()).toJSON() as {
        name: string;
        dependency?: string[];
      };
      expect(file.name).toBe(name);
      expect(index.dependenciesOf(name)).toEqual(file.dependency ?? []);
      expect(index.dependenciesOf(name).filter((dependency) => !before.has(dependency))).toEqual([]);
      before.add(name);
    }
    expect(before.size).toBeGreaterThan(800);
  });

  it('is as large as proto/README.md says', () => {
    const readme = readFileSync(join(packageRoot(), 'proto', 'README.md'), 'utf8');
    const index = descriptorIndex();
    expect(readme).toContain(`${index.fileNames().length} .proto files, ${index.messageNames().length} messages`);
  });

  it('knows nothing of a file or type that it lacks', () => {
    expect(descriptorIndex().fileOf('foo.Bar')).toBeUndefined();
    expect(descriptorIndex().fileDescriptorBytes('foo.proto')).toBeUndefined();
    expect(findMessageType('foo.Bar')).toBeUndefined();
  });
});

describe('a message type', () => {
  it('of the discovery service is loaded without the types of its fields, those when they are resolved, and never the extensions', async () => {
    // Other tests of this process have loaded types already: a fresh copy has not.
    vi.resetModules();
    const { messageType } = await import('../../src/protobuf/message-type.ts');
    const { root, fields } = messageType('envoy.service.discovery.v3.DeltaDiscoveryRequest');
    const router = '.envoy.extensions.filters.http.router.v3.Router';
    expect(root.lookup('.envoy.config.core.v3.Node') === null).toBe(true);
    expect(fields['node']?.resolve().resolvedType?.fullName).toBe('.envoy.config.core.v3.Node');
    expect(root.lookup('.envoy.config.core.v3.Node') === null).toBe(false);
    expect(root.lookup(router) === null).toBe(true);
    messageType(router.slice(1));
    expect(root.lookup(router) === null).toBe(false);
  });

  it('that does not exist names the nearest one', () => {
    expect(errorOf(() => messageType('envoy.config.cluster.v3.Clustr')).message).toBe(
      'unknown message type "envoy.config.cluster.v3.Clustr". Did you mean "envoy.config.cluster.v3.Cluster"?',
    );
    expect(errorOf(() => messageType('envoy.config.v3.HttpConnectionManager')).message).toContain(
      'Did you mean "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"?',
    );
  });
});
