import { describe, expect, it } from 'vitest';
import { decodeNameTable, decodeRootsOfProxyConfig } from '../../src/agent/name-table.ts';
import { encodeSecretResponse } from '../../src/agent/secret-codec.ts';
import { decodeResponse, encodeRequest, requestTypeUrl, responseTypeUrlOf } from '../../src/agent/xds-message.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import protobuf from 'protobufjs/light.js';

const discovery = 'envoy.service.discovery.v3';
const variants = [
  ['sotw', `${discovery}.DiscoveryRequest`, `${discovery}.DiscoveryResponse`],
  ['delta', `${discovery}.DeltaDiscoveryRequest`, `${discovery}.DeltaDiscoveryResponse`],
] as const;

describe.each(variants)('messages of xDS (%s)', (variant, requestName, responseName) => {
  const encode = (name: string, message: object): Buffer => {
    const type = messageType(name);
    return Buffer.from(type.encode(type.fromObject(message)).finish());
  };

  it('tell their type', () => {
    expect(requestTypeUrl(variant, encode(requestName, { node: { id: 'a' }, typeUrl: 'type.googleapis.com/x' }))).toBe(
      'type.googleapis.com/x',
    );
    expect(responseTypeUrlOf(encode(responseName, { nonce: 'n', typeUrl: 'type.googleapis.com/y' }))).toBe('type.googleapis.com/y');
  });

  it('that are none have no type', () => {
    expect(requestTypeUrl(variant, Buffer.from('ffffffff', 'hex'))).toBe('');
    expect(responseTypeUrlOf(Buffer.from('ffffffff', 'hex'))).toBe('');
  });

  it('of the agent itself are what a server reads', () => {
    const bytes = encodeRequest(variant, { typeUrl: 't', version: 'v', nonce: 'n', error: 'down' });
    const read = messageType(requestName).toObject(messageType(requestName).decode(bytes));
    expect(read).toMatchObject({ typeUrl: 't', responseNonce: 'n', errorDetail: { code: 13, message: 'down' } });
    expect(read['versionInfo']).toBe(variant === 'sotw' ? 'v' : undefined);
    expect(messageType(requestName).toObject(messageType(requestName).decode(encodeRequest(variant, { typeUrl: 't' })))).toEqual({
      typeUrl: 't',
    });
  });

  it('give the payload of their first resource', () => {
    const any = (text: string): object => ({ typeUrl: 't', value: Buffer.from(text) });
    const resources =
      variant === 'sotw'
        ? [any('one'), any('two')]
        : [
            { name: 'a', resource: any('one') },
            { name: 'b', resource: any('two') },
          ];
    const read = decodeResponse(variant, encode(responseName, { resources, nonce: 'n', typeUrl: 't' }));
    expect(read).toMatchObject({ nonce: 'n', resources: 2 });
    expect(Buffer.from(read.first ?? []).toString()).toBe('one');
    expect(decodeResponse(variant, encode(responseName, { nonce: 'n' })).first).toBeUndefined();
  });
});

it('secrets are what Envoy reads', () => {
  const bytes = encodeSecretResponse({
    version: 'v/1',
    nonce: 'n',
    secrets: new Map([
      ['default', { kind: 'certificate', chain: 'CHAIN', privateKey: 'KEY' }],
      ['ROOTCA', { kind: 'root', root: 'ROOT' }],
    ]),
  });
  const response = messageType(`${discovery}.DiscoveryResponse`).decode(bytes) as unknown as { resources: { value: Uint8Array }[] };
  const secret = messageType('envoy.extensions.transport_sockets.tls.v3.Secret');
  const [own, root] = response.resources.map(({ value }) => secret.toObject(secret.decode(value), { bytes: String }));
  const text = (value: unknown): string => Buffer.from(String(value), 'base64').toString();
  expect(response).toMatchObject({ versionInfo: 'v/1', nonce: 'n' });
  expect(own).toMatchObject({ name: 'default' });
  expect(text(own?.['tlsCertificate'].certificateChain.inlineBytes)).toBe('CHAIN');
  expect(text(own?.['tlsCertificate'].privateKey.inlineBytes)).toBe('KEY');
  expect(root).toMatchObject({ name: 'ROOTCA' });
  expect(text(root?.['validationContext'].trustedCa.inlineBytes)).toBe('ROOT');
});

describe('what istiod tells the agent itself', () => {
  const root = new protobuf.Root();

  it('a name table is read', () => {
    const info = new protobuf.Type('Info')
      .add(new protobuf.Field('ips', 1, 'string', 'repeated'))
      .add(new protobuf.Field('registry', 2, 'string'))
      .add(new protobuf.Field('shortname', 3, 'string'));
    const table = new protobuf.Type('Table').add(info).add(new protobuf.MapField('table', 1, 'string', 'Info'));
    root.add(table);
    const bytes = table
      .encode({ table: { 'a.svc': { ips: ['10.0.0.1', '10.0.0.2'], registry: 'Kubernetes', shortname: 'a' }, b: {} } })
      .finish();
    expect(decodeNameTable(bytes)).toEqual({
      table: { 'a.svc': { ips: ['10.0.0.1', '10.0.0.2'], registry: 'Kubernetes', shortname: 'a' }, b: {} },
    });
  });

  it('roots of a ProxyConfig are read', () => {
    const config = new protobuf.Type('Config')
      .add(new protobuf.Field('discoveryAddress', 6, 'string'))
      .add(new protobuf.Field('roots', 34, 'string', 'repeated'));
    expect(decodeRootsOfProxyConfig(config.encode({ discoveryAddress: 'a:1', roots: ['A', 'B'] }).finish())).toEqual(['A', 'B']);
  });
});
