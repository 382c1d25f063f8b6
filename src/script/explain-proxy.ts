import { durationText } from './duration.ts';
import { listed } from './explain-pattern.ts';
import type { CertificateRequest, ProxyCertificate, ProxyCommand, ProxyTls, ProxyToken } from './proxy-identity.ts';

/** `put a token for istio-ca into the proxy's token file`, in the imperative. */
export function proxySentence(command: ProxyCommand): string {
  if (command.kind === 'write-token') return `put ${tokenText(command.token)} into the proxy's token file`;
  const { token, ttlMs } = command.request;
  const shown = token === false ? 'without a token' : `with ${tokenText({ ...accountOf(command.request), ...token })}`;
  return `let the proxy ask the CA for a certificate${ttlMs === undefined ? '' : ` for ${durationText(ttlMs)}`} ${shown}`;
}

function accountOf({ namespace, serviceAccount }: CertificateRequest): ProxyToken {
  return { ...(namespace === undefined ? {} : { namespace }), ...(serviceAccount === undefined ? {} : { serviceAccount }) };
}

/** `an expired token for istio-ca of default/web`. */
function tokenText({
  audiences = ['istio-ca'],
  namespace,
  serviceAccount,
  issuer,
  ttlMs,
  expired,
  signedBy,
  clusterId,
}: ProxyToken): string {
  const whom = audiences.length > 0 ? ` for ${listed(audiences)}` : ' for nobody';
  const rest = [
    ...(issuer === undefined ? [] : [`issued by ${issuer}`]),
    ...(ttlMs === undefined ? [] : [`good for ${durationText(ttlMs)}`]),
    ...(signedBy === 'stranger' ? ['signed by a stranger'] : signedBy === 'nobody' ? ['without a signature'] : []),
    ...(clusterId === undefined ? [] : [`from cluster ${clusterId}`]),
  ];
  return `${expired ? 'an expired' : 'a'} token${whom}${accountText(namespace, serviceAccount)}${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`;
}

function accountText(namespace: string | undefined, serviceAccount: string | undefined): string {
  return namespace === undefined && serviceAccount === undefined ? '' : ` of ${namespace ?? 'default'}/${serviceAccount ?? 'default'}`;
}

/** What a scenario's Envoy does towards the server: `speaks TLS`, `shows a certificate of default/web`. */
export function proxyIdentityTexts(wish: {
  readonly tls?: ProxyTls;
  readonly certificate?: ProxyCertificate;
  readonly token?: ProxyToken;
  readonly tokenFile?: ProxyToken;
}): readonly string[] {
  const { tls, certificate, token, tokenFile } = wish;
  return [
    ...(tls ? [tlsText(tls)] : []),
    ...(certificate ? [certificateText(certificate)] : []),
    ...(token ? [`sends ${tokenText(token)}`] : []),
    ...(tokenFile ? [`sends what is in its token file, at first ${tokenText(tokenFile)}`] : []),
  ];
}

function tlsText({ sni, subjectAltName }: ProxyTls): string {
  const rest = [
    ...(sni === undefined ? [] : [`SNI ${sni}`]),
    ...(subjectAltName === undefined ? [] : [subjectAltName === false ? 'any name' : `name ${subjectAltName}`]),
  ];
  return `speaks TLS${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`;
}

function certificateText({ namespace, serviceAccount, trustDomain, ttlMs }: ProxyCertificate): string {
  const rest = [
    ...(trustDomain === undefined ? [] : [`trust domain ${trustDomain}`]),
    ...(ttlMs === undefined ? [] : [`good for ${durationText(ttlMs)}`]),
  ];
  return `shows a certificate${accountText(namespace ?? 'default', serviceAccount)}${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`;
}
