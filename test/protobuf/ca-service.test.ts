import descriptor from 'protobufjs/ext/descriptor.js';
import { describe, expect, it } from 'vitest';
import { caServiceDefinition, type CertificateRequest } from '../../src/protobuf/ca-service.ts';
import { encodeJson, decodeJson } from '../../src/protobuf/canonical-json.ts';
import { descriptorIndex } from '../../src/protobuf/descriptors.ts';

interface PlainField {
  readonly name: string;
  readonly jsonName?: string;
  readonly number: number;
  readonly type: string;
  readonly label: string;
  readonly typeName?: string;
}
interface PlainFile {
  readonly package: string;
  readonly messageType?: readonly { readonly name: string; readonly field: readonly PlainField[] }[];
  readonly service?: readonly {
    readonly name: string;
    readonly method: readonly { readonly name: string; readonly inputType: string; readonly outputType: string }[];
  }[];
}

const method = (() => {
  const found = caServiceDefinition()['CreateCertificate'];
  if (!found) throw new Error('istio-ca.proto declares no CreateCertificate');
  return found as typeof found & { readonly requestType: { readonly fileDescriptorProtos: readonly Uint8Array[] } };
})();

function plainFile(bytes: Uint8Array): PlainFile {
  return descriptor.FileDescriptorProto.decode(bytes).toJSON() as PlainFile;
}

/** The contract of a file's messages: names, numbers and types, without what only tells how code is generated. */
function contract({ messageType = [] }: PlainFile): unknown {
  const lowerCamel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return messageType.map(({ name, field }) => [
    name,
    field.map((f) => [lowerCamel(f.name), f.number, f.type, f.label, f.typeName?.replace(/^\./, '')]),
  ]);
}

const theirs = plainFile(
  descriptorIndex().fileDescriptorBytes(descriptorIndex().fileOf('istio.v1.auth.IstioCertificateService') ?? '') ?? new Uint8Array(),
);

describe('the certificate service', () => {
  it('of our own .proto has the names, numbers and types of the descriptor set', () => {
    const ours = method.requestType.fileDescriptorProtos.map(plainFile).find((file) => file.package === 'istio.v1.auth');
    expect(ours && contract(ours)).toEqual(contract(theirs));
    expect(contract(theirs)).toHaveLength(2);
  });

  it('of the descriptor set has no other method than ours', () => {
    expect(theirs.service?.map(({ name, method: methods }) => [name, methods.map((m) => [m.name, m.inputType, m.outputType])])).toEqual([
      [
        'IstioCertificateService',
        [['CreateCertificate', '.istio.v1.auth.IstioCertificateRequest', '.istio.v1.auth.IstioCertificateResponse']],
      ],
    ]);
    expect(Object.keys(caServiceDefinition())).toEqual(['CreateCertificate']);
  });

  it('stands at the path that agents call', () => {
    expect(method).toMatchObject({
      path: '/istio.v1.auth.IstioCertificateService/CreateCertificate',
      requestStream: false,
      responseStream: false,
    });
  });

  it('speaks the bytes that our canonical JSON makes, though two protobufjs read them', () => {
    const bytes = encodeJson('istio.v1.auth.IstioCertificateRequest', {
      csr: 'pem',
      validity_duration: 9_007_199_254_740_993n,
      metadata: { CertSigner: 'x' },
    });
    const request = method.requestDeserialize(Buffer.from(bytes)) as CertificateRequest;
    expect(request).toMatchObject({
      csr: 'pem',
      validityDuration: '9007199254740993',
      metadata: { fields: { CertSigner: { stringValue: 'x' } } },
    });
    expect(decodeJson('istio.v1.auth.IstioCertificateResponse', method.responseSerialize({ certChain: ['leaf', 'root'] }))).toEqual({
      certChain: ['leaf', 'root'],
    });
  });
});
