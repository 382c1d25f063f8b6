import { resourceType } from '../protocol/resource-type.ts';
import { matchesValue, normalisedText } from '../script/matcher.ts';
import type { Subject } from '../script/expectation.ts';
import { configNames } from './config-names.ts';
import { valuesAt } from './dump-path.ts';
import { httpKey } from './sample.ts';
import type { HttpAnswer, HttpSubject, Sample, SampledSubject } from './sample.ts';

/** Whether a subject holds, and what was seen, as the end of a sentence: `Envoy was PRE_INITIALIZING`. */
export interface Look {
  readonly holds: boolean;
  readonly seen: string;
}

type Of<K extends Subject['kind']> = Extract<Subject, { kind: K }>;

/**
 * What a sample says about a subject; undefined if it says nothing, because that fact was not looked up. `agentVerdict` is pilot-agent's
 * verdict over all samples so far.
 */
export function lookAt(subject: SampledSubject, sample: Sample, agentVerdict: string | undefined): Look | undefined {
  switch (subject.kind) {
    case 'state':
      return sample.state && { holds: subject.states.includes(sample.state), seen: `Envoy was ${sample.state}` };
    case 'ready':
      return sample.ready && lookAtReady(subject, sample.ready);
    case 'stats':
      return sample.stats && lookAtStats(subject, sample.stats);
    case 'agent':
      return agentVerdict === undefined
        ? undefined
        : { holds: matchesValue(subject.verdict, agentVerdict), seen: `pilot-agent would say: ${agentVerdict}` };
    case 'config':
      return sample.config && lookAtConfig(subject, sample.config);
    case 'dump':
      return sample.config && lookAtDump(subject, sample.config);
    case 'http': {
      const answer = sample.http?.get(httpKey(subject));
      return answer && lookAtHttp(subject, answer);
    }
  }
}

function lookAtReady({ code, body }: Of<'ready'>, found: NonNullable<Sample['ready']>): Look {
  const holds = (!code || matchesValue(code, found.code)) && (!body || matchesValue(body, found.body));
  return { holds, seen: `/ready said ${found.code} ${found.body}`.trimEnd() };
}

function lookAtStats({ stats }: Of<'stats'>, found: NonNullable<Sample['stats']>): Look {
  const differing = Object.entries(stats).filter(([name, matcher]) => !matchesValue(matcher, found.get(name)));
  const told = differing.length > 0 ? differing : Object.entries(stats);
  const seen = told.map(([name]) => (found.has(name) ? `${name} was ${found.get(name)}` : `${name} was absent`)).join(', ');
  return { holds: differing.length === 0, seen };
}

function lookAtConfig({ typeUrl, where, has, lacks, count }: Of<'config'>, dump: NonNullable<Sample['config']>): Look {
  const { short } = resourceType(typeUrl);
  const names = configNames(dump, typeUrl);
  if (!names) return { holds: false, seen: `Envoy's config_dump does not tell ${short} resources` };
  const found = new Set(where === 'any' ? [...names.active, ...names.warming] : names[where]);
  const missing = has.filter((name) => !found.has(name));
  const surplus = lacks.filter((name) => found.has(name));
  const counted = !count || matchesValue(count, found.size);
  const place = where === 'any' ? 'active or warming' : where;
  const list = found.size > 8 ? `${[...found].slice(0, 8).join(', ')} and ${found.size - 8} more` : [...found].join(', ');
  return {
    holds: missing.length === 0 && surplus.length === 0 && counted,
    seen: `${found.size === 0 ? `no ${short} resource was` : `${short} resources`} ${place}${found.size === 0 ? '' : `: ${list}`}`,
  };
}

function lookAtDump({ path, value }: Of<'dump'>, dump: NonNullable<Sample['config']>): Look {
  const found = valuesAt(dump, path);
  const told = found.slice(0, 3).map((one) => shortened(typeof one === 'string' ? one : JSON.stringify(one)));
  const more = found.length > 3 ? ` and ${found.length - 3} more` : '';
  return {
    holds: matchesValue(value, found.length === 0 ? undefined : found),
    seen: found.length === 0 ? `config_dump had nothing at ${path}` : `config_dump had ${told.join(', ')}${more} at ${path}`,
  };
}

function lookAtHttp({ listener, path, status, body, refused }: HttpSubject, answer: HttpAnswer): Look {
  const asked = `GET ${path} of listener ${listener}`;
  if (answer.kind === 'refused') return { holds: refused === true, seen: `${asked}: connection refused` };
  if (answer.kind === 'failed') return { holds: false, seen: `${asked}: ${answer.reason}` };
  const holds = refused !== true && (!status || matchesValue(status, answer.status)) && (!body || matchesValue(body, answer.body));
  return { holds, seen: `${asked} gave ${answer.status}${answer.body === '' ? '' : ` ${shortened(normalisedText(answer.body))}`}` };
}

function shortened(text: string, length = 80): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
