import { describe, expect, it } from 'vitest';
import descriptor from 'protobufjs/ext/descriptor.js';
import type { Message, RawCall } from './raw-client.ts';
import { served } from './served.ts';

const ads = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

async function reflection(version: 'v1' | 'v1alpha'): Promise<(question: Message) => Promise<Message>> {
  const { connect } = await served();
  const name = `grpc.reflection.${version}`;
  const call: RawCall = (await connect()).call(
    `/${name}.ServerReflection/ServerReflectionInfo`,
    `${name}.ServerReflectionRequest`,
    `${name}.ServerReflectionResponse`,
  );
  return (question) => {
    call.send(question);
    return call.next();
  };
}

function fileNames(answer: Message): string[] {
  const { fileDescriptorProto } = answer['fileDescriptorResponse'] as { fileDescriptorProto: Uint8Array[] };
  return fileDescriptorProto.map((bytes) => (descriptor.FileDescriptorProto.decode(bytes) as unknown as { name: string }).name);
}

describe.each(['v1', 'v1alpha'] as const)('server reflection %s', (version) => {
  it('lists what is served', async () => {
    const ask = await reflection(version);
    const answer = await ask({ host: 'h', listServices: '*' });
    expect(answer).toMatchObject({ validHost: 'h', originalRequest: { host: 'h', listServices: '*' } });
    const { service } = answer['listServicesResponse'] as { service: { name: string }[] };
    const names = service.map(({ name }) => name).sort();
    expect(names).toContain('envoy.service.secret.v3.SecretDiscoveryService');
    expect(names.filter((name) => name === ads || !name.startsWith('envoy.'))).toEqual([
      ads,
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it('gives the file of a symbol with all that it imports, each once', async () => {
    const ask = await reflection(version);
    const first = fileNames(await ask({ fileContainingSymbol: `${ads}.StreamAggregatedResources` }));
    expect(first[0]).toBe('envoy/service/discovery/v3/ads.proto');
    expect(first).toContain('envoy/config/core/v3/base.proto');
    expect(new Set(first).size).toBe(first.length);
    const second = fileNames(await ask({ fileContainingSymbol: 'envoy.config.cluster.v3.Cluster' }));
    expect(second[0]).toBe('envoy/config/cluster/v3/cluster.proto');
    expect(second.filter((name) => first.includes(name))).toEqual([]);
    expect(fileNames(await ask({ fileByFilename: 'envoy/config/core/v3/base.proto' }))).toEqual(['envoy/config/core/v3/base.proto']);
  });

  it.each([
    { fileContainingSymbol: 'no.such.Thing' },
    { fileByFilename: 'no/such.proto' },
    { allExtensionNumbersOfType: 'google.protobuf.FieldOptions' },
  ])('does not find %o', async (question) => {
    const ask = await reflection(version);
    expect(await ask(question)).toMatchObject({ errorResponse: { errorCode: 5 } });
  });
});

it('reflection can be left out', async () => {
  const { connect } = await served({ reflection: false });
  const name = 'grpc.reflection.v1';
  const call = (await connect()).call(
    `/${name}.ServerReflection/ServerReflectionInfo`,
    `${name}.ServerReflectionRequest`,
    `${name}.ServerReflectionResponse`,
  );
  expect(await call.status).toMatchObject({ code: 12, text: `unknown service ${name}.ServerReflection` });
});
