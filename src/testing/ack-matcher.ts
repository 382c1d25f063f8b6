import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import type { Clock, Push } from '../index.ts';
import { matchesPattern } from '../protocol/node.ts';
import { resourceType, typeUrlNamed } from '../protocol/resource-type.ts';
import { waitFor } from '../observe/wait.ts';
import { durationText } from '../script/duration.ts';
import { evidence } from './evidence.ts';
import { matcherTimeoutMs, told, type MatcherContext, type MatcherResult } from './matcher-result.ts';
import { checkedMs } from './state-matchers.ts';
import { witnessOf, type HasTimeline, type Subject } from './subject.ts';
import { answerOf, answerText, nodesIn } from './type-answer.ts';

export interface AnswerOptions {
  /** Default 4000 ms; under `.not` 0: as things stand. */
  readonly timeoutMs?: number;
  /** A node id, in which `*` stands for any characters. Default: the Envoy that was given; of a fake istiod, every client that is connected. */
  readonly node?: string;
  /** The fake istiod of the Envoy that was given. Default: the one that the fixtures know of. */
  readonly istiod?: HasTimeline;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What can be awaited of a push; one made over the control API can, too. */
export type Ackable = Pick<Push, 'acked'>;
/** A push, or types (`CDS`, a type URL …), and options at the end. */
export type AckedArguments = readonly [Ackable, AnswerOptions?] | readonly [string, ...(string | AnswerOptions)[]];

/**
 * The client has accepted a push, or the newest response of each type named. A NACK ends the wait at once. A push is judged by stream and
 * nonce, as `push.acked()` does; types by what the timeline tells of the newest response.
 */
export async function toHaveAcked(this: MatcherContext, received: unknown, ...args: AckedArguments): Promise<MatcherResult> {
  const { push, types, options } = argumentsOf(args);
  const subject = witnessOf('toHaveAcked', received, options.istiod);
  const timeoutMs = checkedMs('timeoutMs', options.timeoutMs ?? (this.isNot ? 0 : matcherTimeoutMs));
  const node = options.node ?? subject.nodeId;
  const what = push ? 'the push' : types.map((typeUrl) => resourceType(typeUrl).short).join(', ');
  const sentence = `${node ?? 'every client'} ${this.isNot ? 'not ' : ''}to have ACKed ${what}${timeoutMs > 0 ? ` within ${durationText(timeoutMs)}` : ''}`;
  const why = push
    ? await whyNotPush(push, { ...(node === undefined ? {} : { node }), timeoutMs })
    : await whyNotTypes(subject, types, { node, timeoutMs, clock: options.clock ?? systemClock });
  if (why === undefined) return told(true, sentence, 'it did', this.isNot ? await evidence(subject) : '');
  return told(false, sentence, why, this.isNot ? '' : await evidence(subject, isNearAck(types, node)));
}

interface Asked {
  readonly push?: Ackable;
  readonly types: readonly string[];
  readonly options: AnswerOptions;
}

function argumentsOf(args: readonly unknown[]): Asked {
  const [first] = args;
  const last = args.length > 1 ? args.at(-1) : undefined;
  const options: AnswerOptions = typeof last === 'object' && last !== null ? last : {};
  if (isAckable(first)) return { push: first, types: [], options };
  const words = args.filter((arg): arg is string => typeof arg === 'string');
  if (words.length > 0) return { types: words.map(typeUrlNamed), options };
  throw new FakeIstiodError('options.invalid', 'toHaveAcked was not told what', {
    remedy: "Name types, toHaveAcked('CDS', 'LDS'), or give what publish returned, toHaveAcked(push)",
  });
}

function isAckable(value: unknown): value is Ackable {
  return typeof value === 'object' && value !== null && 'acked' in value && typeof value.acked === 'function';
}

/** Why a push is not acked in time, without the timeline; undefined if it is. */
async function whyNotPush(push: Ackable, options: { readonly node?: string; readonly timeoutMs: number }): Promise<string | undefined> {
  try {
    await push.acked(options);
    return undefined;
  } catch (error) {
    const { code, message } = FakeIstiodError.from(error);
    if (code !== 'push.nacked' && code !== 'wait.timed-out') throw error;
    return message.replace(/\n[^]*$/, '').replace(/^push not acknowledged within [^:]*: /, '');
  }
}

interface TypeWait {
  readonly node: string | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Why types are not acked in time; undefined if they are. Ends early at a NACK. */
async function whyNotTypes(
  { timeline }: Required<Pick<Subject, 'timeline'>>,
  types: readonly string[],
  { node, timeoutMs, clock }: TypeWait,
): Promise<string | undefined> {
  const look = (): { readonly done: boolean; readonly why?: string } => {
    const nodes = nodesIn(timeline.events).filter((id) => node === undefined || matchesPattern(node, id));
    if (nodes.length === 0) return { done: false, why: node === undefined ? 'no client has connected' : 'it has not connected' };
    const open = nodes.flatMap((id) =>
      types.flatMap((typeUrl) => {
        const answer = answerOf(timeline.events, typeUrl, id);
        return answer.kind === 'acked' ? [] : [{ id, answer, text: answerText(typeUrl, answer) }];
      }),
    );
    if (open.length === 0) return { done: true };
    const why = open.map(({ id, text }) => (nodes.length > 1 ? `${id}: ${text}` : text)).join('; ');
    return { done: open.some(({ answer }) => answer.kind === 'nacked'), why };
  };
  let found = look();
  const settled = (): boolean => {
    found = look();
    return found.done;
  };
  if (!found.done && timeoutMs > 0) await waitFor(timeline, settled, { timeoutMs, clock }).catch(ignoreTimeout);
  return found.why;
}

/** The time was over: `look` knows what is missing. */
function ignoreTimeout(error: unknown): void {
  if (FakeIstiodError.from(error).code !== 'wait.timed-out') throw error;
}

/** The newest event about one of the types at the node, whatever it was. */
function isNearAck(types: readonly string[], node: string | undefined): (event: TimelineEvent) => boolean {
  return (event) =>
    'typeUrl' in event &&
    event.event.startsWith('response.') &&
    (types.length === 0 || types.includes(event.typeUrl)) &&
    (node === undefined || event.node === undefined || matchesPattern(node, event.node));
}
