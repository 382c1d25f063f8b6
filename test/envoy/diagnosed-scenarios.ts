/** What `diagnose` says of a scenario. */
export interface ScenarioDiagnosis {
  readonly class: string;
  /** The causes, the likeliest first; none where nothing is wrong. */
  readonly causes: readonly string[];
  /** The moment of the report that matters; default: the end of the run. */
  readonly moment?: RegExp;
  /** The step that heals it, which a live look must not wait for. Default: none does. */
  readonly healedBy?: string;
  /** Where no step heals it: what of the file keeps it from healing by itself while it is looked at, by JSON pointer. */
  readonly keptBy?: Readonly<Record<string, unknown>>;
  /** What of the file makes it last long enough to be looked at for sure, where no step heals it, by JSON pointer. */
  readonly lasts?: Readonly<Record<string, unknown>>;
  /** What the admin API alone tells, where the log or istiod's side is needed to tell more. */
  readonly byAdminAlone?: readonly string[];
}

const refused = ['stream-refused'];

/** By name: every scenario of the package has to be here. */
export const diagnosedScenarios: Readonly<Record<string, ScenarioDiagnosis>> = {
  'ads-refuses-ca-fine': {
    class: 'not-ready',
    causes: ['gate-closed'],
    moment: /^before/,
    byAdminAlone: refused,
    keptBy: { '/gates/xds': { closed_for: 1_000 } },
    lasts: { '/gates/xds': { closed_for: 10 } },
  },
  'alpn-http1': {
    class: 'not-ready',
    causes: ['tls-alpn'],
    moment: /^before step repaired$/,
    healedBy: 'repaired',
    byAdminAlone: ['tls-no-handshake'],
  },
  'audience-heals-after-3': { class: 'not-ready', causes: ['token-audience'], moment: /^before/, healedBy: 'third', byAdminAlone: refused },
  'ca-refuses-ads-fine': {
    class: 'not-ready',
    causes: ['ca-refuses'],
    moment: /^before step/,
    healedBy: 'opened',
    byAdminAlone: ['cluster-sds-withheld'],
  },
  'client-cert-demanded': {
    class: 'not-ready',
    causes: ['tls-client-certificate'],
    moment: /^before step repaired$/,
    healedBy: 'repaired',
    byAdminAlone: ['tls-no-handshake'],
  },
  'empty-config': { class: 'ready', causes: ['nothing-listens'] },
  'expired-token-on-reconnect': {
    class: 'ready',
    causes: ['token-expired', 'istiod-lost'],
    byAdminAlone: ['stream-refused', 'istiod-lost'],
  },
  'false-live': { class: 'false-live', causes: ['fetch-timeout-passed', 'agent-not-satisfied'] },
  'identity-mismatch': {
    class: 'not-ready',
    causes: ['identity-mismatch'],
    moment: /^before step no comparing$/,
    healedBy: 'no comparing',
    byAdminAlone: refused,
  },
  'istiod-down': { class: 'not-ready', causes: ['xds-refused'], moment: /^before step up$/, healedBy: 'up' },
  'lost-after-live': { class: 'ready', causes: ['xds-refused', 'istiod-lost'], byAdminAlone: ['istiod-lost', 'xds-refused'] },
  'malformed-node': { class: 'not-ready', causes: ['node-malformed'], byAdminAlone: refused },
  'missing-node': { class: 'crash-loop', causes: ['node-missing'] },
  'mtls-ready': { class: 'ready', causes: [] },
  'nack-everything-yet-live': { class: 'not-ready', causes: ['cds-nacked', 'lds-nacked', 'agent-not-satisfied'] },
  'nack-then-fix': { class: 'ready', causes: [], healedBy: 'fix' },
  'never-ready': { class: 'not-ready', causes: ['cds-withheld'] },
  'no-alpn': { class: 'ready', causes: [] },
  'no-token': {
    class: 'not-ready',
    causes: ['token-missing'],
    moment: /^before step nobody asks$/,
    healedBy: 'nobody asks',
    byAdminAlone: refused,
  },
  'not-ready-yet': {
    class: 'not-ready',
    causes: ['istiod-not-ready'],
    moment: /^before step caught up$/,
    healedBy: 'caught up',
    byAdminAlone: refused,
  },
  'rate-limited': {
    class: 'not-ready',
    causes: ['rate-limited'],
    moment: /^before/,
    byAdminAlone: refused,
    keptBy: { '/rate_limit': 0.01 },
  },
  ready: { class: 'ready', causes: [] },
  'reject-audience': {
    class: 'not-ready',
    causes: ['token-audience'],
    moment: /^before step corrected$/,
    healedBy: 'corrected',
    byAdminAlone: refused,
  },
  'root-rotated': { class: 'ready', causes: ['tls-not-trusted', 'istiod-lost'], byAdminAlone: ['tls-unverified', 'istiod-lost'] },
  'server-cert-expired': {
    class: 'not-ready',
    causes: ['tls-expired'],
    moment: /^before step repaired$/,
    healedBy: 'repaired',
    byAdminAlone: ['tls-unverified'],
  },
  'server-cert-runs-out': { class: 'ready', causes: ['tls-expired', 'istiod-lost'], byAdminAlone: ['tls-unverified', 'istiod-lost'] },
  'server-cert-unknown-ca': {
    class: 'not-ready',
    causes: ['tls-not-trusted'],
    moment: /^before step repaired$/,
    healedBy: 'repaired',
    byAdminAlone: ['tls-unverified'],
  },
  'server-cert-wrong-san': { class: 'not-ready', causes: ['tls-wrong-name'], moment: /^before step repaired$/, healedBy: 'repaired' },
  'silent-port': { class: 'not-ready', causes: ['xds-silent'] },
  'slow-cds': {
    class: 'not-ready',
    causes: ['response-late'],
    moment: /^before step answered$/,
    byAdminAlone: ['cds-withheld'],
    keptBy: { '/steps/0/do/delay/by': '60s' },
  },
  'stream-reset': { class: 'ready', causes: [] },
  'unknown-cluster-id': {
    class: 'not-ready',
    causes: ['cluster-id-unknown'],
    moment: /^before step secret$/,
    healedBy: 'secret',
    byAdminAlone: refused,
  },
  'cluster-on-demand': { class: 'ready', causes: [] },
  'distinct-cluster-id': { class: 'ready', causes: [] },
  handover: { class: 'ready', causes: [] },
  'same-cluster-id': { class: 'ready', causes: [] },
  'two-networks': { class: 'ready', causes: [] },
  'data-for-agents': { class: 'ready', causes: ['nothing-listens'] },
  'node-words': { class: 'ready', causes: [] },
  'scoped-routes': { class: 'ready', causes: [] },
  'ttl-runs-out': { class: 'ready', causes: ['nothing-listens'] },
  'twenty-services': { class: 'ready', causes: [] },
  'unknown-endpoints': { class: 'ready', causes: [] },
  'virtual-host-on-demand': { class: 'ready', causes: [] },
  'withhold-cluster-sds': { class: 'not-ready', causes: ['cluster-sds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-ecds': { class: 'not-ready', causes: ['ecds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-listener-sds': { class: 'not-ready', causes: ['listener-sds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-rtds': { class: 'not-ready', causes: ['rtds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-eds': { class: 'not-ready', causes: ['eds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-first-cds': { class: 'not-ready', causes: ['cds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-first-lds': { class: 'not-ready', causes: ['lds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'withhold-rds': { class: 'not-ready', causes: ['rds-withheld'], moment: /^before step release$/, healedBy: 'release' },
  'wrong-cluster-name': { class: 'crash-loop', causes: ['ads-cluster-unknown'] },
};

/** Where the live look is of another moment than the report: before what heals it. */
export const atLive: Readonly<Record<string, Pick<ScenarioDiagnosis, 'class' | 'causes' | 'byAdminAlone'>>> = {
  'nack-then-fix': { class: 'ready', causes: ['route-to-unknown-cluster'] },
};
