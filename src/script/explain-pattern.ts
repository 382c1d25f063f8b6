import type { NodeMatcher } from '../protocol/node.ts';
import { resourceType } from '../protocol/resource-type.ts';
import { matcherText, type ValueMatcher } from './matcher.ts';
import type { EventPattern, ScriptableEvent } from './trigger.ts';

/** An event in English: something that can be counted and what it does, or a clause of its own. `%` stands for the type. */
type Phrase = { readonly noun: string; readonly verb: string } | { readonly clause: string; readonly never: string };

const phrases: Readonly<Record<ScriptableEvent, Phrase>> = {
  'server.started': { clause: 'the server starts', never: 'the server does not start' },
  'server.stopped': { clause: 'the server stops', never: 'the server does not stop' },
  'server.silenced': {
    clause: 'the server falls silent or answers again',
    never: 'the server neither falls silent nor answers again',
  },
  'connection.accepted': { noun: 'connection', verb: 'is accepted' },
  'handshake.failed': { noun: 'handshake', verb: 'fails' },
  'token.accepted': { noun: 'token', verb: 'is accepted' },
  'token.rejected': { noun: 'token', verb: 'is rejected' },
  'certificate.accepted': { noun: 'client certificate', verb: 'is accepted' },
  'identity.mismatched': { noun: 'node', verb: 'turns out not to be the caller' },
  'caller.turned-away': { noun: 'caller', verb: 'is turned away' },
  'certificate.signed': { noun: 'certificate', verb: 'is signed' },
  'csr.rejected': { noun: 'CSR', verb: 'is rejected' },
  'token.written': { clause: 'the token file is written', never: 'the token file is not written' },
  'certificate.received': { clause: 'the proxy gets a certificate', never: 'the proxy gets no certificate' },
  'certificate.refused': { clause: 'the proxy is refused a certificate', never: 'the proxy is not refused a certificate' },
  'stream.opened': { noun: 'stream', verb: 'is opened' },
  'stream.refused': { noun: 'stream', verb: 'is refused' },
  'stream.closed': { noun: 'stream', verb: 'is closed' },
  'request.received': { noun: '% request', verb: 'arrives' },
  'response.sent': { noun: '% response', verb: 'is sent' },
  'response.withheld': { noun: '% response', verb: 'is withheld' },
  'response.delayed': { noun: '% response', verb: 'is delayed' },
  'response.dropped': { noun: '% response', verb: 'is dropped' },
  'response.acked': { noun: '% ACK', verb: 'arrives' },
  'response.nacked': { noun: '% NACK', verb: 'arrives' },
  'reload.failed': { noun: 'reload', verb: 'fails' },
  'registry.ignored': { noun: 'registry', verb: 'is ignored' },
  'content.failed': { noun: 'content of a node', verb: 'cannot be made' },
  'snapshot.published': { noun: 'snapshot', verb: 'is published' },
  'envoy.started': { clause: 'Envoy starts', never: 'Envoy does not start' },
  'envoy.state-reached': { clause: 'Envoy reaches @', never: 'Envoy does not reach @' },
  'envoy.exited': { clause: 'Envoy exits', never: 'Envoy does not exit' },
  'envoy.logged': { clause: 'Envoy logs @', never: 'Envoy does not log @' },
  'step.fired': { clause: 'step @ fires', never: 'step @ does not fire' },
  'moment.marked': { clause: '@ is marked', never: '@ is not marked' },
};

/** The field that a clause names itself, in place of `@`. */
const named: Partial<Record<ScriptableEvent, string>> = {
  'envoy.state-reached': 'state',
  'envoy.logged': 'text',
  'step.fired': 'step',
  'moment.marked': 'moment',
};
const unnamed: Partial<Record<ScriptableEvent, string>> = {
  'envoy.state-reached': 'a state',
  'envoy.logged': 'a line',
  'step.fired': 'of any name',
  'moment.marked': 'a moment',
};

/** `CDS`, or the last part of a type URL that has no short name. */
export function typeName(typeUrl: string): string {
  return resourceType(typeUrl).short;
}

/** `first`, `2nd`, `3rd`, `11th`. */
export function ordinal(n: number): string {
  if (n === 1) return 'first';
  const suffix = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], joint = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`;
}

/** `with id sidecar~* and metadata NAMESPACE demo`. */
export function nodeText(node: NodeMatcher): string {
  const plain = [...(node.id === undefined ? [] : [`id ${node.id}`]), ...(node.cluster === undefined ? [] : [`cluster ${node.cluster}`])];
  const metadata = Object.entries(node.metadata ?? {}).map(([key, value]) => `metadata ${key} ${value}`);
  const locality = Object.entries(node.locality ?? {}).map(([key, value]) => `${key} ${value}`);
  return `with ${listed([...plain, ...metadata, ...locality])}`;
}

/** What else must hold: ` with outcome initial`. */
function qualifiers({ event, node, envoy, istiod, fields }: EventPattern): string {
  const compared = Object.entries(fields).filter(([field]) => field !== named[event]);
  const words = compared.map(([field, matcher]) => fieldText(field, matcher));
  const whose = [
    ...(envoy && !event.startsWith('envoy.') ? [`from ${envoy.name}`] : []),
    ...(istiod === undefined ? [] : [`at ${istiod}`]),
    ...(node ? [`from nodes ${nodeText(node)}`] : []),
  ];
  return `${words.length > 0 ? ` with ${listed(words)}` : ''}${whose.map((each) => ` ${each}`).join('')}`;
}

function fieldText(field: string, matcher: ValueMatcher): string {
  if (matcher.kind === 'equals' && matcher.value === '') return `empty ${field}`;
  return matcher.kind === 'absent' ? `no ${field}` : `${field} ${matcherText(matcher)}`;
}

function filled(clauseOfAny: string, { event, fields, envoy }: EventPattern): string {
  const clause = envoy ? clauseOfAny.replace('Envoy', () => `Envoy ${envoy.name}`) : clauseOfAny;
  const field = named[event];
  const matcher = field === undefined ? undefined : fields[field];
  if (!matcher) return clause.replace('@', () => unnamed[event] ?? '');
  const value = matcherText(matcher);
  return clause.replace('@', () => (event !== 'envoy.logged' ? value : `a line ${matcher.kind === 'equals' ? `reading ${value}` : value}`));
}

function noun(phrase: { readonly noun: string }, { typeUrl }: EventPattern): string {
  return phrase.noun.replace(/% ?/, typeUrl === undefined ? '' : `${typeName(typeUrl)} `);
}

function article(word: string): string {
  return /^(?:[AEIOaeio]|[FHLMNRSX][A-Z])/.test(word) ? 'an' : 'a';
}

/** `a CDS request arrives`, `Envoy reaches LIVE`. */
export function somePattern(pattern: EventPattern): string {
  const phrase = phrases[pattern.event];
  if ('clause' in phrase) return `${filled(phrase.clause, pattern)}${qualifiers(pattern)}`;
  const what = noun(phrase, pattern);
  return `${article(what)} ${what}${qualifiers(pattern)} ${phrase.verb}`;
}

/** `the 2nd CDS request arrives`, `Envoy reaches LIVE for the 2nd time`. */
export function nthPattern(pattern: EventPattern, nth: number): string {
  const phrase = phrases[pattern.event];
  if ('clause' in phrase) return `${somePattern(pattern)}${nth === 1 ? '' : ` for the ${ordinal(nth)} time`}`;
  return `the ${ordinal(nth)} ${noun(phrase, pattern)}${qualifiers(pattern)} ${phrase.verb}`;
}

/** `no CDS request arrives`, `Envoy does not reach LIVE`. */
export function noPattern(pattern: EventPattern): string {
  const phrase = phrases[pattern.event];
  if ('clause' in phrase) return `${filled(phrase.never, pattern)}${qualifiers(pattern)}`;
  return `no ${noun(phrase, pattern)}${qualifiers(pattern)} ${phrase.verb}`;
}

/** `2 CDS requests arrive`; the count is a matcher. */
export function countedPattern(pattern: EventPattern, count: ValueMatcher): string {
  const phrase = phrases[pattern.event];
  if ('clause' in phrase) return `${somePattern(pattern)} ${matcherText(count)} times`;
  if (matcherText(count) === '1') return `one ${noun(phrase, pattern)}${qualifiers(pattern)} ${phrase.verb}, no more`;
  const many = phrase.verb
    .replace(/^is /, 'are ')
    .replace(/^arrives$/, 'arrive')
    .replace(/^fails$/, 'fail');
  return `${matcherText(count)} ${noun(phrase, pattern)}s${qualifiers(pattern)} ${many}`;
}
