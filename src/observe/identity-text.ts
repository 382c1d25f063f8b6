import type { TimelineEvent } from '../events.ts';
import type { WordsOf } from './event-text.ts';

const serviceNames: Readonly<Record<'xds' | 'ca', string>> = { xds: 'xDS', ca: 'the CA' };

/** Events about who is who, in words. Here stands the real reason, which the caller is not told. */
export const identityWords: WordsOf<
  | 'token.accepted'
  | 'token.rejected'
  | 'certificate.accepted'
  | 'identity.mismatched'
  | 'caller.turned-away'
  | 'certificate.signed'
  | 'csr.rejected'
  | 'token.written'
  | 'certificate.received'
  | 'certificate.refused'
> = {
  'token.accepted': (event) => ['✓', 'good', `token of ${event.identity} accepted for ${serviceNames[event.service]}, from ${event.peer}`],
  'token.rejected': (event) => ['✗', 'bad', `${refusalText(event)}. Failed to authenticate client from ${event.peer}: ${event.reason}`],
  'certificate.accepted': (event) => [
    '✓',
    'good',
    `client certificate of ${event.identity} accepted for ${serviceNames[event.service]}, from ${event.peer}`,
  ],
  'identity.mismatched': (event) => ['✗', 'bad', `${event.peer} is not the node ${event.nodeId}: ${event.text}`],
  'caller.turned-away': (event) => ['✗', 'bad', `${event.peer} turned away from ${serviceNames[event.service]}: ${event.reason}`],
  'certificate.signed': (event) => ['←', 'out', `certificate of ${event.identity} signed until ${event.notAfter}, for ${event.peer}`],
  'csr.rejected': (event) => ['✗', 'bad', `CSR of ${event.peer} rejected: ${event.reason}`],
  'token.written': (event) => [
    '▶',
    'script',
    `token file written: a token for ${event.audiences.join(', ') || 'nobody'}, until ${event.notAfter}`,
  ],
  'certificate.received': (event) => ['→', 'good', `the proxy has a certificate of ${event.identity} until ${event.notAfter}`],
  'certificate.refused': (event) => ['→', 'bad', `the proxy is refused a certificate: status ${event.code}, ${event.text}`],
};

/** The one thing that counts of a refusal, to stand first; what istiod logs of it is long and begins with what does not matter. */
function refusalText({ service, reason, audiences, wanted }: Extract<TimelineEvent, { event: 'token.rejected' }>): string {
  const why = audiences
    ? `its token is for ${audiences.join(', ') || 'nobody'}, not for ${wanted.join(' or ')}`
    : (/\[invalid bearer token, (.*)\]$/.exec(reason)?.[1] ?? /KubeJWTAuthenticator: (.*)$/s.exec(reason)?.[1] ?? reason);
  return `caller of ${serviceNames[service]} refused: ${why}`;
}
