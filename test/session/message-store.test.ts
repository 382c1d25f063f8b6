import { describe, expect, it } from 'vitest';
import type { ClientRequest } from '../../src/protocol/request.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import type { Response } from '../../src/protocol/response.ts';
import { MessageStore } from '../../src/session/message-store.ts';
import { resource, url } from '../protocol/world.ts';

const codec = {
  sizeOf: ({ resources }: Response) => 100 + resources.reduce((sum, { value }) => sum + value.length, 0),
  encode: ({ nonce }: Response) => Buffer.from(`response ${nonce}`),
};
const big = (): readonly Resource[] => [{ ...resource('CDS', 'a', ''), value: Buffer.alloc(1000) }];
const response = (nonce: string, resources: readonly Resource[]): Response => ({
  variant: 'sotw',
  typeUrl: url('CDS'),
  version: 'v',
  nonce,
  resources,
  removed: [],
  cause: 'push',
  sequence: 1,
});
const request = (text: string, error?: string): ClientRequest => ({
  variant: 'sotw',
  typeUrl: url('CDS'),
  version: '',
  names: [],
  nonce: '',
  bytes: Buffer.from(text),
  ...(error === undefined ? {} : { errorDetail: { code: 13, message: error } }),
});

describe('The messages kept', () => {
  it('are requests as they came and responses encoded anew', () => {
    const store = new MessageStore({ codec, maxBytes: 1e6, maxFacts: 10, maxFactBytes: 1000 });
    store.keep(1, request('asked', 'bad'));
    store.keep(2, response('n', big()));
    expect([1, 2].map((seq) => Buffer.from(store.bytesOf(seq) ?? []).toString())).toEqual(['asked', 'response n']);
    expect([store.sizeOf(1), store.sizeOf(2), store.sizeOf(3)]).toEqual([5, 1100, undefined]);
    expect([store.errorDetailOf(1), store.errorDetailOf(2)]).toEqual([{ code: 13, message: 'bad' }, undefined]);
    expect(store.bytesOf(3)).toBeUndefined();
  });

  it('share the resources that several responses are of, and the oldest go when there is no room', () => {
    const shared = big();
    const store = new MessageStore({ codec, maxBytes: 3000, maxFacts: 10, maxFactBytes: 1000 });
    for (let seq = 1; seq <= 4; seq++) store.keep(seq, response(`n${seq}`, shared));
    // 1000 once, and 356 each: 2424.
    expect(store.bytesOf(1)).toBeDefined();
    store.keep(5, response('n5', big()));
    expect([1, 2, 3, 4, 5].map((seq) => store.bytesOf(seq) !== undefined)).toEqual([false, false, false, true, true]);
    for (let seq = 6; seq <= 8; seq++) store.keep(seq, response('n', shared));
    expect([4, 5, 6, 7, 8].map((seq) => store.bytesOf(seq) !== undefined)).toEqual([false, false, true, true, true]);
    expect(store.sizeOf(1)).toBe(1100);
  });

  it('are none if there is no room at all, the facts staying up to their own limit', () => {
    const store = new MessageStore({ codec, maxBytes: 0, maxFacts: 2, maxFactBytes: 1000 });
    for (let seq = 1; seq <= 3; seq++) store.keep(seq, request('asked', 'bad'));
    expect([1, 2, 3].map((seq) => store.sizeOf(seq))).toEqual([undefined, 5, 5]);
    expect(store.errorDetailOf(1)).toBeUndefined();
    expect(store.bytesOf(3)).toBeUndefined();
  });

  it('tell what NACKs said as far as there is room for it, and always what the newest did', () => {
    const store = new MessageStore({ codec, maxBytes: 0, maxFacts: 100, maxFactBytes: 1000 });
    const known = (): readonly number[] => [1, 2, 3, 4, 5, 6].filter((seq) => store.errorDetailOf(seq));
    for (let seq = 1; seq <= 4; seq++) store.keep(seq, request('asked', 'e'.repeat(400)));
    expect(known()).toEqual([3, 4]);
    store.keep(5, request('asked', 'e'.repeat(5000)));
    expect(known()).toEqual([5]);
    store.keep(6, request('asked', 'bad'));
    expect(known()).toEqual([6]);
  });
});
