import * as v from 'valibot';
import { durationMs } from '../script/duration.ts';
import { described, durationForm, flag, form, listOf, oneOf, text, variantForm, wordOf } from '../script/schema-parts.ts';
import { anyObject } from './answer-forms.ts';
import { includeFormer } from './query-forms.ts';
import { route } from './route.ts';

const account = {
  namespace: v.optional(described(text, 'Default default')),
  service_account: v.optional(described(text, 'Default default')),
};

const tokenWish = form('a token', {
  ...account,
  audience: v.optional(
    described(oneOf('text, or a list of audiences', [text, listOf(text, 'audiences')]), 'Whom it is for; default istio-ca'),
  ),
  issuer: v.optional(described(text, "Who issued it; default Kubernetes' own")),
  ttl: v.optional(described(durationForm, 'How long it is good; default 60m')),
  expired: v.optional(described(flag, 'true: its time was over an hour ago')),
});

const hourMs = 3_600_000;
const port = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(65_535));

export const identityRoutes = {
  bootstrap: route({
    method: 'GET',
    path: '/bootstrap',
    tag: 'Identity',
    summary: 'Make an Envoy bootstrap that points here, with the wishes of the scenario',
    description: '`curl …/bootstrap > envoy.json; envoy -c envoy.json`. Certificates and tokens in it are of this server.',
    library: 'istiod.bootstrap(options)',
    ctl: ['bootstrap'],
    params: {},
    query: {
      host: v.optional(described(text, 'Where Envoy finds the server; default the address that clients on this machine use')),
      port: v.optional(described(port, 'Default the port of the server')),
      variant: v.optional(variantForm),
      shape: v.optional(
        described(wordOf(['lab', 'lesson']), 'lab (default): short reconnect back-off, a free admin port; lesson: as written by hand'),
      ),
      envoy: v.optional(described(text, 'Of a scenario with several Envoys the one of this name; default the first')),
      node: v.optional(described(text, 'The whole node id')),
      namespace: v.optional(described(text, 'Namespace of the node; default default')),
      name: v.optional(described(text, 'Pod name of the node')),
      fetch_timeout: v.optional(
        described(durationForm, 'initial_fetch_timeout of CDS and LDS; default as the scenario says, else 0s, for ever'),
      ),
      admin_host: v.optional(described(text, 'Where the admin API listens; default 127.0.0.1')),
      admin_port: v.optional(described(port, 'Default 0: a free one')),
    },
    answer: anyObject,
    handle({ query }, { istiod }) {
      const { host, variant, shape, envoy, node, namespace, name, fetch_timeout, admin_host, admin_port } = query;
      return istiod.bootstrap({
        ...(host === undefined ? {} : { host }),
        ...(query.port === undefined ? {} : { port: query.port }),
        ...(variant === undefined ? {} : { variant }),
        ...(shape === undefined ? {} : { shape }),
        ...(envoy === undefined ? {} : { envoy }),
        ...(fetch_timeout === undefined ? {} : { fetchTimeout: `${(durationMs(fetch_timeout) ?? 0) / 1000}s` }),
        ...((node ?? namespace ?? name) ? { node: { ...said({ id: node, namespace, name }) } } : {}),
        ...(admin_host === undefined && admin_port === undefined
          ? {}
          : { admin: { ...said({ host: admin_host }), ...(admin_port === undefined ? {} : { port: admin_port }) } }),
      });
    },
  }),
  rootCertificate: route({
    method: 'GET',
    path: '/root-certificate',
    tag: 'Identity',
    summary: "Tell the root that the server's certificate ends in, as PEM",
    library: 'istiod.rootCertificate()',
    ctl: ['root-certificate'],
    params: {},
    query: { former: includeFormer },
    answer: v.string(),
    produces: 'application/x-pem-file',
    async handle({ query: { former = false } }, { istiod }) {
      const current = await istiod.rootCertificate();
      const before = former ? await istiod.formerRootCertificates() : [];
      return [current, ...before.toReversed()].join('');
    },
  }),
  token: route({
    method: 'POST',
    path: '/tokens',
    tag: 'Identity',
    summary: "Mint a service account token with the server's own key",
    library: 'istiod.token(wish)',
    ctl: ['token'],
    params: {},
    query: {},
    body: v.optional(tokenWish),
    answer: v.strictObject({ token: described(v.string(), 'A JWT') }),
    async handle({ body = {} }, { istiod, clock }) {
      const { audience, issuer, ttl, expired = false } = body;
      const ttlMs = ttl === undefined ? hourMs : Math.max(1000, durationMs(ttl) ?? 0);
      const token = await istiod.token({
        ...accountOf(body),
        ...(audience === undefined ? {} : { audiences: typeof audience === 'string' ? [audience] : audience }),
        ...said({ issuer }),
        ttlMs,
        ...(expired ? { notBefore: new Date(clock.date().getTime() - ttlMs - hourMs) } : {}),
      });
      return { token };
    },
  }),
  certificate: route({
    method: 'POST',
    path: '/certificates',
    tag: 'Identity',
    summary: "Make a client certificate of the server's own authority, with its key",
    library: 'istiod.clientCertificate(workload, options)',
    ctl: ['certificate'],
    params: {},
    query: {},
    body: v.optional(
      form('a certificate', {
        ...account,
        trust_domain: v.optional(described(text, "Default the server's")),
        ttl: v.optional(described(durationForm, 'How long it is good; default a day')),
      }),
    ),
    answer: v.strictObject({
      certificatePem: described(v.string(), 'The chain, the leaf first'),
      privateKeyPem: v.string(),
      notBefore: described(v.string(), 'RFC 3339'),
      notAfter: described(v.string(), 'RFC 3339'),
    }),
    async handle({ body = {} }, { istiod }) {
      const { trust_domain, ttl } = body;
      const workload = { ...accountOf(body), ...said({ trustDomain: trust_domain }) };
      const validity = ttl === undefined ? {} : { validityMs: Math.max(1000, durationMs(ttl) ?? 0) };
      const { certificatePem, privateKeyPem, notBefore, notAfter } = await istiod.clientCertificate(workload, validity);
      return { certificatePem, privateKeyPem, notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() };
    },
  }),
};

interface Account {
  readonly namespace?: string | undefined;
  readonly service_account?: string | undefined;
}

function accountOf({ namespace = 'default', service_account = 'default' }: Account) {
  return { namespace, serviceAccount: service_account };
}

/** Without the members that say nothing. */
function said<T extends Readonly<Record<string, string | undefined>>>(values: T): { readonly [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { readonly [K in keyof T]?: string };
}
