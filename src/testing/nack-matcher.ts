import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { EventNamed } from '../index.ts';
import type { QueryByEvent } from '../observe/event-query.ts';
import { waitFor } from '../observe/wait.ts';
import { resourceType, typeUrlNamed } from '../protocol/resource-type.ts';
import { durationText } from '../script/duration.ts';
import type { AnswerOptions } from './ack-matcher.ts';
import { evidence } from './evidence.ts';
import { matcherTimeoutMs, told, type MatcherContext, type MatcherResult } from './matcher-result.ts';
import { checkedMs } from './state-matchers.ts';
import { witnessOf } from './subject.ts';

export interface NackedOptions extends AnswerOptions {
  /** Only a NACK of this type (`CDS`, a type URL …) counts. Default: of any. */
  readonly type?: string;
}

/**
 * The client has rejected something, with these words in its text; one that did so before the call counts. Under `.not` it has not, as
 * things stand, or within `timeoutMs`.
 */
export async function toHaveNacked(
  this: MatcherContext,
  received: unknown,
  text?: RegExp | string,
  options: NackedOptions = {},
): Promise<MatcherResult> {
  const wanted = wantedText(text);
  const subject = witnessOf('toHaveNacked', received, options.istiod);
  const timeoutMs = checkedMs('timeoutMs', options.timeoutMs ?? (this.isNot ? 0 : matcherTimeoutMs));
  const node = options.node ?? subject.nodeId;
  const typeUrl = options.type === undefined ? undefined : typeUrlNamed(options.type);
  const query: QueryByEvent<'response.nacked'> = {
    event: 'response.nacked',
    ...(typeUrl === undefined ? {} : { type: typeUrl }),
    ...(node === undefined ? {} : { node }),
    ...(wanted ? { text: wanted } : {}),
  };
  const type = typeUrl === undefined ? 'anything' : resourceType(typeUrl).short;
  const words = text === undefined ? '' : ` with ${typeof text === 'string' ? JSON.stringify(text) : String(text)}`;
  const within = timeoutMs > 0 ? ` within ${durationText(timeoutMs)}` : '';
  const sentence = `${node ?? 'a client'} ${this.isNot ? 'not ' : ''}to have NACKed ${type}${words}${within}`;
  const found = await waitFor(subject.timeline, query, { timeoutMs, clock: options.clock ?? systemClock }).catch(undefinedInTime);
  if (found) return told(true, sentence, `it did: ${found.text}`, this.isNot ? await evidence(subject) : '');
  const others = subject.timeline.events.findLast((event): event is EventNamed<'response.nacked'> => event.event === 'response.nacked');
  const why = others ? `the nearest NACK is of ${others.type}: ${others.text}` : 'nothing was NACKed';
  return told(false, sentence, why, this.isNot ? '' : await evidence(subject, ({ event }) => event.startsWith('response.')));
}

/** A string is looked for as it stands; `*` in it is a star. */
function wantedText(text: unknown): RegExp | undefined {
  if (text === undefined || text instanceof RegExp) return text;
  if (typeof text === 'string') return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Frameworks run tests in contexts of their own, whose RegExp is not ours.
  if (Object.prototype.toString.call(text) === '[object RegExp]') return new RegExp(text as RegExp);
  throw new FakeIstiodError('options.invalid', `toHaveNacked was given ${typeof text}, which is no text`, {
    remedy: "Give an expression or a string, toHaveNacked(/unknown cluster/), and options after it: toHaveNacked(/./, { type: 'LDS' })",
  });
}

function undefinedInTime(error: unknown): undefined {
  if (FakeIstiodError.from(error).code !== 'wait.timed-out') throw error;
  return undefined;
}
