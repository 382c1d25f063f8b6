import { describe, expect, it } from 'vitest';
import type { ProtocolEvent } from '../../src/protocol/protocol-event.ts';
import { istiodQuirks, specQuirks, type Quirks } from '../../src/protocol/quirks.ts';
import type { Node } from '../../src/protocol/node.ts';
import type { ClientRequest, Variant } from '../../src/protocol/request.ts';
import { SharedSteps } from '../../src/protocol/shared-steps.ts';
import type { Effect } from '../../src/protocol/stream-effect.ts';
import type { Input } from '../../src/protocol/stream-input.ts';
import { newStream, transition, type StreamState, type Surroundings } from '../../src/protocol/stream-state.ts';
import { bothVariants } from './model-client.ts';
import { randomNumbers } from './random-walk.ts';
import { node, resource, url, World, type Short } from './world.ts';

/** The nth nonce of a version on a stream: the same on all that come to it. */
const nonce: Surroundings['nonce'] = (version, typeUrl, last) => `${version} ${typeUrl.length} ${Number(last?.split(' ')[2] ?? 0) + 1}`;

/** An effect as it is told of one stream, without the room that a timeline fills. */
function toldOf({ stream, node }: StreamState, effect: Effect): Effect {
  if (effect.kind !== 'emit') return effect;
  const { seq: _, atMs: __, ...event } = effect.event as ProtocolEvent & { seq?: number; atMs?: number };
  return { kind: 'emit', event: { ...event, stream, ...(node ? { node: node.id } : {}) } as ProtocolEvent };
}

/** Streams that share their steps; each step is held against what the state machine says by itself. */
class Crowd {
  states: StreamState[];
  readonly world = new World({ CDS: { a: '0', b: '0' }, EDS: { a: '0', b: '0' }, LDS: { a: '0' } });
  quirks: Quirks = istiodQuirks;
  shared = 0;
  private readonly steps = new SharedSteps();
  private lately: readonly Effect[] = [];

  constructor(variant: Variant, size: number) {
    this.states = Array.from({ length: size }, (_, index) => newStream(index + 1, variant));
  }

  take(index: number, input: Input): void {
    const state = this.states[index] as StreamState;
    const surroundings = { quirks: this.quirks, nonce };
    const expected = transition(state, input, surroundings);
    const { state: next, effects } = this.steps.transition(state, input, surroundings);
    expect(next).toEqual(expected.state);
    expect(effects.map((effect) => toldOf(next, effect))).toEqual(expected.effects);
    const sent = effects.find(({ kind }) => kind === 'respond');
    if (sent && this.lately.includes(sent)) this.shared += 1;
    this.lately = [...this.lately.slice(-50), ...effects];
    this.states[index] = next;
  }

  ask(index: number, type: Short, words: Partial<ClientRequest> & { readonly names?: readonly string[] } = {}): void {
    const state = this.states[index] as StreamState;
    const { names = [], ...more } = words;
    const sent = state.watches.get(url(type))?.lastSent;
    const own: Node = { ...node, id: `sidecar~10.0.0.${index}~shop.demo~demo.svc.cluster.local` };
    const base = { typeUrl: url(type), nonce: sent?.nonce ?? '', ...(state.node ? {} : { node: own }), ...more };
    const request =
      state.variant === 'sotw'
        ? { variant: state.variant, version: sent?.version ?? '', names, ...base }
        : { variant: state.variant, subscribe: names, unsubscribe: [], initialVersions: new Map<string, string>(), ...base };
    this.take(index, { kind: 'request', request: request as ClientRequest, snapshot: this.world.snapshot });
  }

  publish(index: number): void {
    this.take(index, { kind: 'publish', snapshot: this.world.snapshot });
  }
}

describe.each(bothVariants)('Streams that share their steps, in %s', (variant) => {
  const each = (crowd: Crowd, act: (index: number) => void): void => crowd.states.forEach((_, index) => act(index));

  it('are told the same as each would be by itself, whoever does what', () => {
    let shared = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const below = randomNumbers(seed);
      const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
      const crowd = new Crowd(variant, 4);
      crowd.quirks = seed % 2 ? istiodQuirks : specQuirks;
      for (let step = 0; step < 30; step += 1) {
        const type = pick(['CDS', 'EDS', 'LDS'] as const);
        const names = type === 'EDS' ? [['a'], ['a', 'b'], ['b']][below(3)] : pick([[], [], ['a']]);
        const who = below(3) === 0 ? [below(4)] : [0, 1, 2, 3];
        const refusal = below(6) === 0 ? { errorDetail: { code: 13, message: 'no good' } } : {};
        const act = pick([
          () => crowd.world.change({ set: [resource(type, pick(['a', 'b', 'c']), `${below(3)}`)] }),
          () => crowd.world.change({ remove: new Map([[url(type), [pick(['a', 'b'])]]]) }),
          () => who.forEach((index) => crowd.publish(index)),
          () => who.forEach((index) => crowd.ask(index, type, { names: names ?? [], ...refusal })),
          () => who.forEach((index) => crowd.ask(index, type, { names: names ?? [], nonce: '' })),
          () => (below(5) === 0 ? crowd.take(below(4), { kind: 'rules', rules: [{ typeUrl: url(type) }] }) : undefined),
          () => (crowd.quirks = below(5) === 0 ? { ...crowd.quirks } : crowd.quirks),
        ]);
        act();
      }
      shared += crowd.shared;
    }
    expect(shared).toBeGreaterThan(100);
  });

  it('share what is known of their types, and each response', () => {
    const crowd = new Crowd(variant, 50);
    each(crowd, (index) => crowd.ask(index, 'CDS'));
    each(crowd, (index) => crowd.ask(index, 'CDS'));
    crowd.world.replace({ CDS: { a: '1' } });
    each(crowd, (index) => crowd.publish(index));
    expect(new Set(crowd.states.map(({ watches }) => watches)).size).toBe(1);
    expect(new Set(crowd.states.map(({ node: own }) => own?.id)).size).toBe(50);
    expect(crowd.shared).toBe(98);
  });

  it('are told apart where one asks for something else, from the same state', () => {
    const crowd = new Crowd(variant, 3);
    crowd.ask(0, 'EDS', { names: ['a'] });
    crowd.ask(1, 'EDS', { names: ['b'] });
    crowd.ask(2, 'EDS', { names: ['a'] });
    crowd.ask(0, 'EDS', { names: ['a', 'b'] });
    crowd.ask(2, 'EDS', { names: ['a', 'b'], nonce: 'of another response' });
    expect(crowd.states.map(({ watches }) => [...(watches.get(url('EDS'))?.subscription.names ?? [])])).toEqual([['a', 'b'], ['b'], ['a']]);
  });

  it('are told apart where one is served something else, or has moved on otherwise', () => {
    const crowd = new Crowd(variant, 3);
    each(crowd, (index) => crowd.ask(index, 'CDS'));
    crowd.ask(0, 'CDS');
    crowd.world.replace({ CDS: { a: '1' } });
    crowd.ask(1, 'CDS');
    crowd.publish(0);
    crowd.world.replace({ CDS: { a: '2' } });
    crowd.publish(1);
    crowd.ask(2, 'CDS');
    crowd.publish(2);
  });

  it('are told apart where one refuses what the other accepts, and once the habits are others', () => {
    const crowd = new Crowd(variant, 3);
    each(crowd, (index) => crowd.ask(index, 'EDS', { names: ['a'] }));
    crowd.ask(0, 'EDS', { names: ['a', 'z'], errorDetail: { code: 13, message: 'no good' } });
    crowd.ask(1, 'EDS', { names: ['a', 'z'], errorDetail: { code: 13, message: 'worse' } });
    crowd.ask(2, 'EDS', { names: ['a', 'z'] });
    const other = new Crowd(variant, 2);
    other.ask(0, 'EDS', { names: ['nothing of that name'] });
    other.quirks = specQuirks;
    other.ask(1, 'EDS', { names: ['nothing of that name'] });
  });

  it('are told apart where something is withheld from one', () => {
    const crowd = new Crowd(variant, 2);
    crowd.states[1] = newStream(2, variant, [{ typeUrl: url('CDS') }]);
    each(crowd, (index) => crowd.ask(index, 'CDS'));
  });

  it('forget all once the requests that led to them have many bytes, and do not keep the longest', () => {
    const MiB = 1024 * 1024;
    const isShared = (bytes: number, others: number): boolean => {
      const crowd = new Crowd(variant, 2 + others);
      const ask = (index: number, name: string): void => crowd.ask(index, 'EDS', { names: [name], bytes: new Uint8Array(bytes) });
      ask(0, 'a');
      for (let other = 0; other < others; other += 1) ask(2 + other, `b${other}`);
      ask(1, 'a');
      return crowd.states[0]?.watches === crowd.states[1]?.watches;
    };
    expect(isShared(MiB, 4)).toBe(true);
    expect(isShared(MiB, 8)).toBe(false);
    expect(isShared(3 * MiB, 0)).toBe(false);
  });

  it('do not where who asks decides: a node id that is none, or a refusal', () => {
    const crowd = new Crowd(variant, 2);
    crowd.quirks = { ...istiodQuirks, 'node-id': 'four-parts' };
    crowd.ask(0, 'CDS');
    crowd.ask(1, 'CDS', { node: { ...node, id: 'nobody' } });
    expect(crowd.states[1]?.watches.size).toBe(0);
  });
});
