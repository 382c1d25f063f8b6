import * as v from 'valibot';
import { tlsPresets } from './command.ts';
import { count, described, durationForm, expecting, flag, form, listOf, mapOf, oneOf, text, wordOf } from './schema-parts.ts';

const only = <const W extends string>(word: W) => v.literal(word, expecting(`the word ${word}`));
const texts = (words: string) => oneOf(`text, or a list of ${words}`, [text, listOf(text, words)]);

const clustersForm = form('what istiod knows of clusters', {
  own: v.optional(described(text, "istiod's own cluster id; default Kubernetes")),
  remote: v.optional(described(listOf(text, 'cluster ids'), 'Further clusters that it knows')),
  aliases: v.optional(described(mapOf(text, 'a map of names'), 'Another name for a cluster, and the one it stands for')),
});

const authMap = form('auth', {
  audiences: v.optional(described(texts('audiences'), 'A token must be meant for one of these; default istio-ca')),
  issuer: v.optional(described(text, 'Who must have issued tokens; default anybody')),
  trust_domain: v.optional(described(texts('trust domains'), "The mesh's trust domain, then its aliases; default cluster.local")),
  keys: v.optional(
    described(wordOf(['pki', 'unsigned-ok']), "pki (default): tokens must be signed by the server's own key; unsigned-ok: by nobody"),
  ),
  clusters: v.optional(described(clustersForm, 'Clusters that may vouch for a token')),
  identity_check: v.optional(described(flag, 'Whether the caller must be who the node says; default true')),
  client_certificate: v.optional(
    described(wordOf(['optional', 'demanded']), 'demanded: no handshake without one; default optional, as with istiod'),
  ),
  texts: v.optional(described(wordOf(['current', 'old']), 'How refusals read: as today, or as before Istio 1.8')),
  clock_skew: v.optional(described(durationForm, "How far the clocks may differ when a token's time is checked; default 0s")),
});

/** Whom istiod believes. */
export const authForm = oneOf('off, or a map of what istiod asks of callers', [only('off'), authMap]);
export type AuthForm = v.InferOutput<typeof authForm>;

const gateForm = oneOf('open, closed, or a map with closed_for and caller', [
  wordOf(['open', 'closed']),
  form('a gate that is closed', {
    closed_for: v.optional(described(count, 'For so many tries, then it is open; left out: until it is opened')),
    caller: v.optional(described(text, 'For this caller alone: a node id (xds) or a SPIFFE id (ca), * standing for any characters')),
  }),
]);
export type GateForm = v.InferOutput<typeof gateForm>;

/** The doors of both services. */
export const gatesForm = form('gates', {
  xds: v.optional(described(gateForm, 'Whether new xDS streams are let in, whatever they bring')),
  ca: v.optional(described(gateForm, 'Whether the CA lets callers in, whatever they bring')),
});
export type GatesForm = v.InferOutput<typeof gatesForm>;

/** How TLS is spoiled. */
export const tlsForm = wordOf([...tlsPresets, 'ok']);
export type TlsForm = v.InferOutput<typeof tlsForm>;

const positive = expecting('a number above 0');
export const rateLimitForm = oneOf('a number of streams a second above 0, or off', [
  v.pipe(v.number(positive), v.gtValue(0, positive)),
  only('off'),
]);
export type RateLimitForm = v.InferOutput<typeof rateLimitForm>;

/** What a scenario begins with and a step can change. */
export const identityEntries = {
  auth: v.optional(described(authForm, 'Whom istiod believes: {} is as the real one; off (default): nobody is asked')),
  gates: v.optional(described(gatesForm, 'Closes the door of a service, whatever a caller brings; open streams stay')),
  tls: v.optional(described(tlsForm, 'How new TLS handshakes are spoiled, or ok')),
  rate_limit: v.optional(described(rateLimitForm, 'New xDS streams a second; more are refused with status 8')),
};

/** The same as written. */
export interface IdentityForm {
  readonly auth?: AuthForm | undefined;
  readonly gates?: GatesForm | undefined;
  readonly tls?: TlsForm | undefined;
  readonly rate_limit?: RateLimitForm | undefined;
}
