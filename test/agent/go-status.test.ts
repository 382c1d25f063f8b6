import { describe, expect, it } from 'vitest';
import { goStatusText, inGoWords, isExpectedEnd } from '../../src/agent/go-status.ts';

const dialing = (why: string): string => `connection error: desc = "transport: Error while dialing: dial tcp ${why}"`;
const handshake = (why: string): string =>
  `connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: ${why}"`;

describe('a status in the words of grpc-go', () => {
  it('has the name of its code', () => {
    expect(goStatusText({ code: 16, text: 'authentication failure' })).toBe(
      'rpc error: code = Unauthenticated desc = authentication failure',
    );
    expect(goStatusText({ code: 99, text: '' })).toBe('rpc error: code = Code(99) desc = ');
  });

  it.each([
    [
      'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:15012. Resolution note: ',
      dialing('127.0.0.1:15012: connect: connection refused'),
    ],
    [
      'No connection established. Last error: connect EHOSTUNREACH 10.0.0.9:15012. Resolution note: ',
      dialing('10.0.0.9:15012: connect: no route to host'),
    ],
    [
      'Name resolution failed for target dns:istiod.istio-system.svc:15012',
      dialing(': lookup istiod.istio-system.svc: no such host').replace('tcp :', 'tcp:'),
    ],
    [
      'No connection established. Last error: self-signed certificate in certificate chain. Resolution note: ',
      handshake('certificate signed by unknown authority'),
    ],
    [
      'No connection established. Last error: unable to verify the first certificate. Resolution note: ',
      handshake('certificate signed by unknown authority'),
    ],
    [
      'No connection established. Last error: certificate has expired. Resolution note: ',
      handshake('certificate has expired or is not yet valid'),
    ],
    [
      "No connection established. Last error: Hostname/IP does not match certificate's altnames: Host: istiod.other. is not in the cert's altnames: DNS:a.example, IP Address:127.0.0.1. Resolution note: ",
      handshake('certificate is valid for a.example, 127.0.0.1, not istiod.other'),
    ],
    ['Connection dropped', 'error reading from server: EOF'],
  ])('says of %j what grpc-go would', (text, said) => {
    expect(inGoWords({ code: 14, text }, 'istiod.istio-system.svc:15012')).toEqual({ code: 14, text: said });
  });

  it("leaves istiod's own words alone", () => {
    const status = { code: 14, text: 'server is not ready to serve discovery information' };
    expect(inGoWords(status, 'a:1')).toEqual(status);
    expect(inGoWords({ code: 16, text: 'ECONNREFUSED' }, 'a:1')).toEqual({ code: 16, text: 'ECONNREFUSED' });
  });

  it('is expected where a connection was lost or closed, and nowhere else', () => {
    expect(isExpectedEnd({ code: 14, text: 'error reading from server: EOF' })).toBe(true);
    expect(isExpectedEnd({ code: 0, text: '' })).toBe(true);
    expect(isExpectedEnd({ code: 14, text: 'server is not ready' })).toBe(false);
    expect(isExpectedEnd({ code: 16, text: 'authentication failure' })).toBe(false);
  });
});
