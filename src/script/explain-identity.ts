import type { AuthWish } from '../auth/policy.ts';
import type { IdentityCommand, TlsPreset } from './command.ts';
import { durationText } from './duration.ts';
import { listed } from './explain-pattern.ts';

/** What each preset means for a new client. */
const presetWords: Readonly<Record<TlsPreset, string>> = {
  'unknown-ca': 'show a certificate of an unknown root',
  'wrong-san': 'show a certificate of another name',
  expired: 'show an expired certificate',
  'not-yet-valid': 'show a certificate that is not valid yet',
  'no-alpn': 'agree on no protocol by ALPN and speak HTTP/2 all the same',
  'alpn-http1': 'offer HTTP/1.1 alone by ALPN',
  'client-cert-demanded': 'demand a client certificate',
};

/** `ask callers for a token for istio-ca`, in the imperative. */
export function identitySentence(command: IdentityCommand): string {
  switch (command.kind) {
    case 'auth':
      return command.wish === 'off' ? 'let everybody in' : `ask callers who they are${wishText(command.wish)}`;
    case 'gate':
      return gateText(command);
    case 'rate-limit':
      return command.perSecond === undefined
        ? 'let in as many streams as come'
        : `let in ${command.perSecond} new ${command.perSecond === 1 ? 'stream' : 'streams'} per second`;
    case 'tls':
      return command.preset === 'ok' ? 'do TLS as it should be' : `${presetWords[command.preset]} in new handshakes`;
    case 'rotate-root':
      return 'sign by a new root and cut every connection';
    case 'expire-certificate':
      return `let the server certificate expire in ${durationText(command.afterMs)}`;
  }
}

function gateText({ service, state, tries, caller }: Extract<IdentityCommand, { kind: 'gate' }>): string {
  const gate = `the ${service === 'xds' ? 'xDS' : 'CA'} gate`;
  if (state === 'open') return `open ${gate}`;
  const span = tries === undefined ? '' : ` for ${tries === 1 ? 'one try' : `${tries} tries`}`;
  return `close ${gate}${span}${caller === undefined ? '' : ` to ${caller}`}`;
}

/** What a wish says beyond istiod's defaults: `: audience istio-ca, issuer x`. */
function wishText(wish: AuthWish): string {
  const { trustDomains, audiences, issuer, keys, clusters, identityCheck, clientCertificate, texts, clockSkewMs } = wish;
  const parts = [
    ...(audiences ? [`a token has to be for ${listed(audiences, 'or')}`] : []),
    ...(issuer === undefined ? [] : [`issued by ${issuer}`]),
    ...(keys === 'unsigned-ok' ? ['signatures are not checked'] : []),
    ...(keys === 'pki' ? ['signed by a key of ours'] : []),
    ...(typeof keys === 'object' ? ['signed by a given key'] : []),
    ...(trustDomains ? [`of the trust domain ${listed(trustDomains, 'or')}`] : []),
    ...clustersText(clusters),
    ...(clientCertificate === 'demanded' ? ['a client certificate is demanded'] : []),
    ...(clientCertificate === 'optional' ? ['a client certificate is optional'] : []),
    ...(identityCheck === undefined ? [] : [identityCheck ? 'the node has to be of the caller' : 'the node may be anybody']),
    ...(clockSkewMs === undefined ? [] : [`clocks may differ by ${durationText(clockSkewMs)}`]),
    ...(texts === undefined ? [] : [texts === 'old' ? 'refusals read as before Istio 1.8' : 'refusals read as today']),
  ];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function clustersText({ own, remote, aliases }: NonNullable<AuthWish['clusters']> = {}): readonly string[] {
  const others = Object.entries(aliases ?? {}).map(([name, meant]) => `${name} is ${meant}`);
  return [
    ...(own === undefined ? [] : [`its own cluster is ${own}`]),
    ...(remote ? [`remote clusters are ${listed(remote) || 'none'}`] : []),
    ...(others.length > 0 ? [`of clusters ${listed(others)}`] : []),
  ];
}
