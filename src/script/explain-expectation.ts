import { resourceType } from '../protocol/resource-type.ts';
import { durationText } from './duration.ts';
import type { Expectation, Subject } from './expectation.ts';
import { countedPattern, listed, noPattern, somePattern } from './explain-pattern.ts';
import { matcherText, type ValueMatcher } from './matcher.ts';

/** How a subject is spoken of: it comes true, it goes on being true, it is never true. */
interface Voices {
  readonly comes: string;
  readonly stays: string;
  readonly never: string;
}

function voices(subject: Subject, name: string | undefined): Voices {
  const envoy = name === undefined ? 'Envoy' : `Envoy ${name}`;
  const of = name === undefined ? '' : ` of ${name}`;
  switch (subject.kind) {
    case 'state': {
      const states = listed(subject.states, 'or');
      return { comes: `${envoy} is ${states}`, stays: `${envoy} stays ${states}`, never: `${envoy} is never ${states}` };
    }
    case 'ready':
      return verbs(`/ready${of}`, 'answers', 'answering', 'answer', answerText(subject.code, subject.body));
    case 'stats':
      return statVoices(subject.stats, of);
    case 'agent':
      return {
        comes: `pilot-agent${of} would say ${spoken(subject.verdict)}`,
        stays: `pilot-agent${of} would go on saying ${spoken(subject.verdict)}`,
        never: `pilot-agent${of} would never say ${spoken(subject.verdict)}`,
      };
    case 'config':
      return configVoices(subject, envoy);
    case 'dump':
      return verbs(`the config_dump${of}`, 'has', 'having', 'have', `${matcherText(subject.value)} at ${subject.path}`);
    case 'http':
      return httpVoices(subject, of);
    case 'exit':
      return {
        comes: `${envoy} exits with code ${matcherText(subject.code)}`,
        stays: `${envoy} has exited with code ${matcherText(subject.code)}`,
        never: `${envoy} does not exit with code ${matcherText(subject.code)}`,
      };
    case 'log':
      return verbs(
        envoy,
        'logs',
        'logging',
        'log',
        `a line ${subject.line.kind === 'equals' ? 'reading ' : ''}${matcherText(subject.line)}`,
      );
    case 'event': {
      const comes = subject.count ? countedPattern(subject.pattern, subject.count) : somePattern(subject.pattern);
      return {
        comes,
        stays: subject.count ? `no more and no fewer than this: ${comes}` : comes,
        never: subject.count ? `it never happens that ${comes}` : noPattern(subject.pattern),
      };
    }
  }
}

function verbs(who: string, does: string, doing: string, verb: string, what: string): Voices {
  return { comes: `${who} ${does} ${what}`, stays: `${who} goes on ${doing} ${what}`, never: `${who} does not ${verb} ${what}` };
}

function spoken(matcher: ValueMatcher): string {
  return matcher.kind === 'expression' ? `something like /${matcher.source}/${matcher.flags}` : matcherText(matcher);
}

function answerText(code: ValueMatcher | undefined, body: ValueMatcher | undefined): string {
  return listed([...(code ? [matcherText(code)] : []), ...(body ? [`the body ${matcherText(body)}`] : [])]);
}

function statVoices(stats: Readonly<Record<string, ValueMatcher>>, of: string): Voices {
  const parts = (verb: string) => listed(Object.entries(stats).map(([name, matcher]) => `${name}${of} ${verb} ${matcherText(matcher)}`));
  return { comes: `the stat ${parts('is')}`, stays: `the stat ${parts('stays')}`, never: `the stat ${parts('is never')}` };
}

function configVoices({ typeUrl, where, has, lacks, count }: Extract<Subject, { kind: 'config' }>, envoy: string): Voices {
  const plural = resourceType(typeUrl).key.replaceAll('_', ' ');
  const key = (names: readonly string[]) => (names.length === 1 ? plural.replace(/s$/, '') : plural);
  const state = where === 'any' ? '' : ` ${where}`;
  const parts = [
    ...(has.length > 0 ? [`the${state} ${key(has)} ${listed(has)}`] : []),
    ...(lacks.length > 0 ? [`no${state} ${key(lacks)} ${listed(lacks, 'or')}`] : []),
    ...(count ? [`${matcherText(count)}${state} ${plural}`] : []),
  ];
  return { comes: `${envoy} has ${listed(parts)}`, stays: `${envoy} keeps ${listed(parts)}`, never: `${envoy} never has ${listed(parts)}` };
}

function httpVoices({ listener: name, path, status, body, refused }: Extract<Subject, { kind: 'http' }>, of: string): Voices {
  const listener = `${name}${of}`;
  if (refused)
    return {
      comes: `listener ${listener} refuses connections`,
      stays: `listener ${listener} goes on refusing connections`,
      never: `listener ${listener} does not refuse connections`,
    };
  return verbs(`listener ${listener}`, 'answers', 'answering', 'answer', `GET ${path} with ${answerText(status, body)}`);
}

/** What must hold and when, without the filters. */
function timed(subject: Subject, { timing, after, of }: Pick<Expectation, 'timing' | 'after' | 'of'>): string {
  const { comes, stays, never } = voices(subject, of);
  const since = after === 'start' ? '' : ` of ${after}`;
  const first = after === 'start' ? '' : `after ${after}, `;
  const soon = (ms: number) => `within ${durationText(ms)}${since}`;
  switch (timing.kind) {
    case 'within':
      return `${comes} ${soon(timing.ms)}`;
    case 'stays-for':
      return `${stays} for ${durationText(timing.forMs)}, beginning ${soon(timing.withinMs)}`;
    case 'stays-until':
      return `${stays} until ${timing.moment}, beginning ${soon(timing.withinMs)}`;
    case 'never-until':
      return `${first}${never} until ${timing.moment}`;
    case 'never-for':
      return `${first}${never} for ${durationText(timing.ms)}`;
    case 'never':
      return `${first}${never}, up to the end`;
  }
}

/** `Envoy stays PRE_INITIALIZING until release.` */
export function expectationSentence({ subject, variant, envoy, because, ...when }: Expectation): string {
  const filters = [...(variant ? [`with ${variant}`] : []), ...(envoy ? [`on Envoy ${envoy}`] : [])];
  const sentence = `${filters.length > 0 ? `${filters.join(' ')}: ` : ''}${timed(subject, when)}`;
  const start =
    sentence.startsWith('/') || sentence.startsWith('pilot-agent') ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return `${start}${because ? ` (${because})` : ''}.`;
}
