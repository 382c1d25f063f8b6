import type { TimelineEvent } from '../events.ts';
import type { EventTone } from './event-text.ts';

type Told = readonly [mark: string, tone: EventTone, text: string];

const serviceNames: Readonly<Record<'xds' | 'ca', string>> = { xds: 'xDS', ca: 'the CA' };

/** Events about who is who, in words. Here stands the real reason, which the caller is not told. */
export function identityWords(event: TimelineEvent): Told | undefined {
  switch (event.event) {
    case 'token.accepted':
      return ['✓', 'good', `token of ${event.identity} accepted for ${serviceNames[event.service]}, from ${event.peer}`];
    case 'token.rejected':
      return ['✗', 'bad', `${refusalText(event)}. Failed to authenticate client from ${event.peer}: ${event.reason}`];
    case 'certificate.accepted':
      return ['✓', 'good', `client certificate of ${event.identity} accepted for ${serviceNames[event.service]}, from ${event.peer}`];
    case 'identity.mismatched':
      return ['✗', 'bad', `${event.peer} is not the node ${event.nodeId}: ${event.text}`];
    case 'caller.turned-away':
      return ['✗', 'bad', `${event.peer} turned away from ${serviceNames[event.service]}: ${event.reason}`];
    case 'certificate.signed':
      return ['←', 'out', `certificate of ${event.identity} signed until ${event.notAfter}, for ${event.peer}`];
    case 'csr.rejected':
      return ['✗', 'bad', `CSR of ${event.peer} rejected: ${event.reason}`];
    case 'token.written':
      return ['▶', 'script', `token file written: a token for ${event.audiences.join(', ') || 'nobody'}, until ${event.notAfter}`];
    case 'certificate.received':
      return ['→', 'good', `the proxy has a certificate of ${event.identity} until ${event.notAfter}`];
    case 'certificate.refused':
      return ['→', 'bad', `the proxy is refused a certificate: status ${event.code}, ${event.text}`];
    default:
      return undefined;
  }
}

/** The one thing that counts of a refusal, to stand first; what istiod logs of it is long and begins with what does not matter. */
function refusalText({ service, reason, audiences, wanted }: Extract<TimelineEvent, { event: 'token.rejected' }>): string {
  const why = audiences
    ? `its token is for ${audiences.join(', ') || 'nobody'}, not for ${wanted.join(' or ')}`
    : (/\[invalid bearer token, (.*)\]$/.exec(reason)?.[1] ?? /KubeJWTAuthenticator: (.*)$/s.exec(reason)?.[1] ?? reason);
  return `caller of ${serviceNames[service]} refused: ${why}`;
}
