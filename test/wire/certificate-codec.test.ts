import { describe, expect, it } from 'vitest';
import { descriptorIndex } from '../../src/protobuf/descriptors.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import { decodeCertificateRequest, encodeCertificateResponse } from '../../src/wire/certificate-codec.ts';
import { certificateService } from '../../src/wire/certificate-service.ts';

const request = messageType('istio.v1.auth.IstioCertificateRequest');
const response = messageType('istio.v1.auth.IstioCertificateResponse');

function encoded(message: Record<string, unknown>): Uint8Array {
  return request.encode(request.fromObject(message)).finish();
}

describe('the messages of the certificate service, as the descriptor set has them', () => {
  it('are read', () => {
    const metadata = { fields: { ImpersonatedIdentity: { stringValue: 'spiffe://a/ns/b/sa/c' }, CertSigner: { stringValue: '' } } };
    const bytes = encoded({ csr: 'pem ✓', validityDuration: 86_400, metadata });
    expect(decodeCertificateRequest(bytes)).toEqual({ csr: 'pem ✓', validitySeconds: 86_400, impersonated: 'spiffe://a/ns/b/sa/c' });
  });

  it.each([
    ['nothing', {}, { csr: '', validitySeconds: 0 }],
    ['a negative lifetime', { validityDuration: -1 }, { csr: '', validitySeconds: -1 }],
    ['a lifetime of 64 bits', { validityDuration: '9223372036854775807' }, { csr: '', validitySeconds: 2 ** 63 }],
    ["pilot-agent's metadata", { metadata: { fields: { CertSigner: { stringValue: '' } } } }, { csr: '', validitySeconds: 0 }],
    ['nobody to act for', { metadata: { fields: { ImpersonatedIdentity: { stringValue: '' } } } }, { csr: '', validitySeconds: 0 }],
    ['a number to act for', { metadata: { fields: { ImpersonatedIdentity: { numberValue: 3 } } } }, { csr: '', validitySeconds: 0 }],
  ])('are read with %s in them', (_what, message, read) => {
    expect(decodeCertificateRequest(encoded(message))).toEqual(read);
  });

  it('are read with fields that are unknown, or of another kind', () => {
    const odd = Buffer.concat([Buffer.from([0x10, 1, 0x08, 5, 0x22, 0]), encoded({ csr: 'x' })]);
    expect(decodeCertificateRequest(odd)).toEqual({ csr: 'x', validitySeconds: 0 });
  });

  it('are not read where they are cut off', () => {
    const bytes = encoded({ csr: 'pem' });
    for (let end = 1; end < bytes.length; end += 1) expect(() => decodeCertificateRequest(bytes.subarray(0, end))).toThrow();
  });

  it.each([[[]], [['leaf']], [['leaf', '', 'root ✓']]])('are written: %j', (chain) => {
    expect(response.toObject(response.decode(encodeCertificateResponse(chain)), { arrays: true })).toEqual({ certChain: chain });
  });

  it('belong to a service of the same name', () => {
    expect(descriptorIndex().fileOf(certificateService)).toBeDefined();
  });
});
