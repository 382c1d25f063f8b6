import type { Evidence } from './evidence.ts';
import type { LogFact } from './fact.ts';
import type { Seen } from './seen.ts';
import type { Standing } from './standing.ts';

type Type = 'CDS' | 'LDS' | 'RDS';

const messages: Readonly<Record<Type, string>> = {
  CDS: 'cluster\\.v3\\.Cluster|api\\.v2\\.Cluster(?!L)',
  LDS: 'listener\\.v3\\.Listener|api\\.v2\\.Listener',
  RDS: 'route\\.v3\\.RouteConfiguration|api\\.v2\\.RouteConfiguration',
};
const counters: Readonly<Record<Type, string | undefined>> = {
  CDS: 'cluster_manager.cds.update_rejected',
  LDS: 'listener_manager.lds.update_rejected',
  RDS: undefined,
};

const wordsOf: Readonly<Record<Type, RegExp>> = {
  CDS: rejectionWords('CDS', '|Error adding/updating cluster\\(s\\)'),
  LDS: rejectionWords('LDS', '|Error adding/updating listener\\(s\\)|^error adding listener|failed to bind or apply socket options'),
  RDS: rejectionWords('RDS', ''),
};

function rejectionWords(type: Type, more: string): RegExp {
  const kind = type.toLowerCase();
  return new RegExp(
    `^${kind}: (cluster|listener|route) .*config rejected|config for type\\.googleapis\\.com/envoy\\.[\\w.]*(${messages[type]}) rejected|^Config for \\S*(${messages[type]}) rejected|\\b${type}: ACK ERROR${more}`,
  );
}

/** Envoy's words about a rejected response in its log, in pilot-agent's, and in istiod's (`ACK ERROR`). */
function words(seen: Seen, type: Type): readonly LogFact[] {
  // What an Envoy that exits says of its bootstrap's own listeners and clusters is no NACK.
  const exits = seen.log(/error initializing config/);
  return seen.log(wordsOf[type]).filter(({ text }) => !exits.some((exit) => exit.text.includes(text)));
}

/** What was rejected, in Envoy's words: the shortest way it says it. */
export function rejectionTexts(seen: Seen, type: Type): readonly string[] {
  const dumped = seen.resources(type, 'rejected').flatMap(({ error, name }) => (error ? [`${name}: ${error}`] : []));
  const told = seen.events('response.nacked', (fields) => fields['type'] === type).map(({ fields }) => String(fields['text']));
  const logged = words(seen, type).map(({ text }) => text.replace(/^.*? rejected: /, '').replace(/^.*ACK ERROR \S+ /, ''));
  return [...logged, ...told, ...dumped].map((text) => text.replace(/\s+/g, ' ').trim().slice(0, 300)).filter(Boolean);
}

/**
 * Evidence that a response is rejected, with words that match; none if it has healed: the dump of a ready proxy holds no error any more,
 * or istiod saw an ACK of the same type since.
 */
export function rejectedNow(seen: Seen, standing: Standing, type: Type, pattern: RegExp): readonly Evidence[] {
  if (isHealed(seen, standing, type)) return [];
  const logged = words(seen, type).filter(({ text }) => pattern.test(text));
  const dumped = seen.resources(type, 'rejected').filter(({ error }) => pattern.test(error ?? ' '));
  const nacked = seen.events('response.nacked', (fields) => fields['type'] === type && pattern.test(String(fields['text'])));
  const counter = counters[type];
  const counted = counter === undefined ? [] : seen.positive(counter);
  const texts = [...logged, ...dumped, ...nacked];
  // Counters have no words: alone they speak for a rejection, not for one in particular.
  if (texts.length === 0) return pattern.source === '.' ? counted : [];
  return [...counted, ...texts];
}

function isHealed(seen: Seen, standing: Standing, type: Type): boolean {
  const told = seen
    .of('event')
    .filter(({ event, fields }) => fields['type'] === type && (event === 'response.nacked' || event === 'response.acked'));
  if (told.length > 0) return told.at(-1)?.event === 'response.acked';
  return (
    standing.class === 'ready' &&
    type === 'LDS' &&
    seen.hasSection('LDS') &&
    seen.resources('LDS', 'rejected').length === 0 &&
    (seen.count('listener_manager.lds.update_success') ?? 0) > 1
  );
}
