import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { FakeIstiodError } from '../errors.ts';

/** What a caller shows of itself. */
export interface CallerHeaders {
  get(name: string): string | null;
}

/**
 * Why a caller is not served; undefined if it is.
 *
 * With a token whoever has it is served: no browser adds it by itself. Without one everybody on this machine is, and the browser among them,
 * which also runs the pages of others. Two of their ways in are closed: a name of theirs that is made to point at 127.0.0.1 (DNS rebinding)
 * shows in Host, and a request of their page to our address shows in Origin or Sec-Fetch-Site.
 */
export function callerRefusal(headers: CallerHeaders, token: string | undefined): FakeIstiodError | undefined {
  if (token !== undefined) return tokenRefusal(headers.get('authorization'), token);
  const host = headers.get('host') ?? '';
  if (!isLocalName(host)) {
    return new FakeIstiodError('request.forbidden', `the Host header says ${JSON.stringify(host)}, which is no name of this machine`, {
      remedy: 'Use 127.0.0.1 or localhost, or start the control API with a token',
    });
  }
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const foreign = origin === null ? site === 'cross-site' : origin !== `http://${host}`;
  if (!foreign) return undefined;
  return new FakeIstiodError('request.forbidden', `a page of ${origin ?? 'another site'} in a browser may not use the control API`, {
    remedy: 'Open the page that the API itself has at /, or start the control API with a token',
  });
}

function tokenRefusal(authorization: string | null, token: string): FakeIstiodError | undefined {
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (shown !== undefined && isSame(shown, token)) return undefined;
  const what = shown === undefined ? 'the control API asks for its token' : 'that is not the token of the control API';
  return new FakeIstiodError('request.unauthenticated', what, { remedy: 'Send the header `Authorization: Bearer TOKEN`' });
}

/** How long it takes says nothing about how much of it is right. */
function isSame(shown: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(shown), hash(token));
}

/** An address cannot be made to point elsewhere, and `localhost` never leaves the machine (RFC 6761, 6.3). */
function isLocalName(hostHeader: string): boolean {
  const host = hostHeader
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost');
}

/** True for an address that only this machine reaches. */
export function isLoopback(address: string): boolean {
  return address === '::1' || address === 'localhost' || (isIP(address) === 4 && address.startsWith('127.'));
}
