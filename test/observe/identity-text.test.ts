import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/events.ts';
import { eventText } from '../../src/observe/event-text.ts';
import { at } from './events.ts';

const facts = { service: 'xds', peer: '127.0.0.1:4', identity: 'spiffe://td/ns/a/sa/b' } as const;

describe('an event about who is who, as a line', () => {
  it.each<readonly [string, Event]>([
    [
      '✓  token of spiffe://td/ns/a/sa/b accepted for xDS, from 127.0.0.1:4',
      { event: 'token.accepted', ...facts, audiences: ['istio-ca'], clusterId: 'Kubernetes' },
    ],
    [
      '✗  caller of the CA refused: why. Failed to authenticate client from 127.0.0.1:4: why',
      { event: 'token.rejected', service: 'ca', peer: '127.0.0.1:4', reason: 'why', wanted: ['istio-ca'] },
    ],
    [
      '✗  caller of xDS refused: its token is for api, vault, not for istio-ca. Failed to authenticate client from 127.0.0.1:4: why',
      { event: 'token.rejected', service: 'xds', peer: facts.peer, reason: 'why', audiences: ['api', 'vault'], wanted: ['istio-ca'] },
    ],
    [
      '✗  caller of xDS refused: service account token has expired. Failed to authenticate client from 127.0.0.1:4: Authenticator KubeJWTAuthenticator: failed: [invalid bearer token, service account token has expired]',
      {
        event: 'token.rejected',
        service: 'xds',
        peer: facts.peer,
        reason: 'Authenticator KubeJWTAuthenticator: failed: [invalid bearer token, service account token has expired]',
        wanted: ['istio-ca'],
      },
    ],
    [
      '✗  caller of xDS refused: no header. Failed to authenticate client from 127.0.0.1:4: Authenticator ClientCertAuthenticator: none; Authenticator KubeJWTAuthenticator: no header',
      {
        event: 'token.rejected',
        service: 'xds',
        peer: facts.peer,
        reason: 'Authenticator ClientCertAuthenticator: none; Authenticator KubeJWTAuthenticator: no header',
        wanted: ['istio-ca'],
      },
    ],
    ['✓  client certificate of spiffe://td/ns/a/sa/b accepted for xDS, from 127.0.0.1:4', { event: 'certificate.accepted', ...facts }],
    ['✗  127.0.0.1:4 is not the node n: no match', { event: 'identity.mismatched', ...facts, nodeId: 'n', text: 'no match' }],
    [
      '✗  127.0.0.1:4 turned away from the CA: the gate is closed',
      { event: 'caller.turned-away', service: 'ca', peer: '127.0.0.1:4', reason: 'the gate is closed' },
    ],
    [
      '←  certificate of spiffe://td/ns/a/sa/b signed until 2030-01-01T00:00:00.000Z, for 127.0.0.1:4',
      { event: 'certificate.signed', identity: facts.identity, notAfter: '2030-01-01T00:00:00.000Z', peer: facts.peer },
    ],
    ['✗  CSR of 127.0.0.1:4 rejected: it is empty', { event: 'csr.rejected', reason: 'it is empty', peer: facts.peer }],
  ])('%s', (line, event) => {
    expect(eventText(at(0, event))).toBe(`  0.000  ${line}`);
  });
});
