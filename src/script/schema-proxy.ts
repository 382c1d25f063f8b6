import * as v from 'valibot';
import { described, durationForm, flag, form, listOf, oneOf, text, wordOf } from './schema-parts.ts';

const account = {
  namespace: v.optional(described(text, 'Default default')),
  service_account: v.optional(described(text, 'Default default')),
};

/** A token; `{}` is one that istiod should believe. */
export const tokenForm = form('a token', {
  audience: v.optional(
    described(oneOf('text, or a list of audiences', [text, listOf(text, 'audiences')]), 'Whom it is for; default istio-ca'),
  ),
  ...account,
  issuer: v.optional(described(text, "Who issued it; default Kubernetes' own")),
  ttl: v.optional(described(durationForm, 'How long it is good, in whole seconds from when it is made; default 60m')),
  expired: v.optional(described(flag, 'true: its time was over an hour ago')),
  signed_by: v.optional(
    described(wordOf(['pki', 'stranger', 'nobody']), "pki (default): the server's own key; stranger: another one; nobody: alg none"),
  ),
  cluster_id: v.optional(described(text, 'The header clusterid that goes with it')),
});

export type TokenForm = v.InferOutput<typeof tokenForm>;

/** What of a bootstrap is about identity. */
export const proxyIdentityEntries = {
  tls: v.optional(
    described(
      oneOf('true, or a map with sni and san', [
        flag,
        form('TLS of Envoy', {
          sni: v.optional(described(text, 'Server name asked for; default istiod.istio-system.svc')),
          san: v.optional(
            described(
              oneOf('a DNS name or false', [text, v.literal(false)]),
              "DNS name that the server's certificate must have; false: any; default sni",
            ),
          ),
        }),
      ]),
      "xds-grpc speaks TLS and trusts the server's first root",
    ),
  ),
  client_certificate: v.optional(
    described(
      form('a client certificate', {
        ...account,
        trust_domain: v.optional(described(text, "Default the server's")),
        ttl: v.optional(described(durationForm, 'How long it is good; default a day')),
      }),
      'Envoy shows a certificate of our CA; TLS is spoken then',
    ),
  ),
  token: v.optional(described(tokenForm, 'A token that is sent with every stream, the same for ever (initial_metadata)')),
  token_file: v.optional(
    described(tokenForm, 'A token in a file that Envoy watches (credential injector, SDS from a file): the command token_file changes it'),
  ),
};

const certificateRequestForm = form('a certificate request', {
  ...account,
  ttl: v.optional(described(durationForm, 'How long the certificate is to be good; default a day')),
  token: v.optional(
    described(
      oneOf('a token, or false', [tokenForm, v.literal(false)]),
      'The token it shows; default a good one for its account, false none',
    ),
  ),
});
export type CertificateRequestForm = v.InferOutput<typeof certificateRequestForm>;

/** What the proxy's side does in a step. */
export const proxyCommandEntries = {
  token_file: v.optional(described(tokenForm, "Writes the proxy's token file anew")),
  request_certificate: v.optional(
    described(
      certificateRequestForm,
      'Asks the CA for a certificate over TLS, as pilot-agent does; certificate.received or certificate.refused tells the answer',
    ),
  ),
};
