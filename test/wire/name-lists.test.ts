import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { maxNames } from '../../src/protocol/request.ts';
import { deltaCodec } from '../../src/wire/delta-codec.ts';
import { RequestMemory } from '../../src/wire/request-memory.ts';
import { sotwCodec } from '../../src/wire/sotw-codec.ts';

const namesTag = (3 << 3) | 2;
const typeTags = { sotw: (4 << 3) | 2, delta: (2 << 3) | 2 };
const unknownTag = (15 << 3) | 2;
const codecs = { sotw: sotwCodec, delta: deltaCodec };
const many = Array.from({ length: 100 }, (_, number) => `outbound|80||service-${number}`);

/** A request written piece by piece, as no client orders them. */
function bytesOf(...parts: readonly (readonly [tag: number, text: string])[]): Buffer {
  const writer = protobuf.Writer.create();
  for (const [tag, text] of parts) writer.uint32(tag).string(text);
  return Buffer.from(writer.finish());
}

const asked = (names: readonly string[]): (readonly [number, string])[] => names.map((name) => [namesTag, name]);

describe.each(['sotw', 'delta'] as const)('Names in a request of %s', (variant) => {
  const namesIn = (bytes: Buffer): readonly string[] => {
    const request = codecs[variant].decodeRequest(bytes);
    return request.variant === 'sotw' ? request.names : request.subscribe;
  };
  const type: readonly [number, string] = [typeTags[variant], 'some.Type'];

  it('are one array for all who ask for the same, whatever stands around them', () => {
    const first = namesIn(bytesOf(...asked(many), type));
    expect(first).toEqual(many);
    expect(namesIn(bytesOf(type, ...asked(many)))).toBe(first);
    expect(namesIn(bytesOf([unknownTag, 'something'], ...asked(many), type))).toBe(first);
  });

  it('are told apart by one more, one less, and one that differs', () => {
    expect(namesIn(bytesOf(...asked(many)))).toEqual(many);
    for (const other of [[...many, 'z'], many.slice(1), many.slice(0, -1), [...many.slice(0, -1), 'outbound|80||service-98']])
      expect(namesIn(bytesOf(...asked(other)))).toEqual(other);
    expect(namesIn(bytesOf(...asked(many), type))).toEqual(many);
  });

  it('come together where they stand in pieces, and leave the known list alone', () => {
    const known = namesIn(bytesOf(...asked(many)));
    expect(namesIn(bytesOf(...asked(many), type, ...asked(['x']), type, ...asked(['y'])))).toEqual([...many, 'x', 'y']);
    expect(known).toEqual(many);
    expect(namesIn(bytesOf(...asked(many)))).toBe(known);
  });

  it('are no more than one stream may ask for, in one piece or in many', () => {
    const list = Array.from({ length: maxNames }, (_, number) => `${number}`);
    const whole = bytesOf(...asked(list));
    expect(namesIn(whole)).toHaveLength(maxNames);
    expect(namesIn(whole)).toHaveLength(maxNames);
    expect(() => namesIn(bytesOf(...asked(list), type, ...asked(['one more'])))).toThrow(RangeError);
    expect(namesIn(bytesOf(...list.flatMap((name) => [...asked([name]), type])))).toHaveLength(maxNames);
  });

  it('are remembered up to four lists, and up to 4 MiB of them', () => {
    const lists = Array.from({ length: 5 }, (_, place) => many.map((name) => `${name} ${place}`));
    const read = lists.map((list) => namesIn(bytesOf(...asked(list))));
    expect(namesIn(bytesOf(...asked(lists[4] ?? [])))).toBe(read[4]);
    expect(namesIn(bytesOf(...asked(lists[0] ?? [])))).not.toBe(read[0]);
    const long = bytesOf(...asked(many.map((name) => name.padEnd(60_000, 'x'))));
    expect(namesIn(long)).not.toBe(namesIn(long));
  });

  it('are no message where the last one is cut off', () => {
    const bytes = bytesOf(...asked(many));
    expect(namesIn(bytes)).toEqual(many);
    expect(() => namesIn(bytes.subarray(0, -1))).toThrow();
  });
});

describe('A request that came before', () => {
  const memory = new RequestMemory(sotwCodec);

  it('is the same object, with its bytes', () => {
    const ack = bytesOf([typeTags.sotw, 'some.Type'], [(5 << 3) | 2, 'nonce 1']);
    const first = memory.read(ack);
    expect(first).toEqual({ ...sotwCodec.decodeRequest(ack), bytes: ack });
    expect(memory.read(Buffer.from(ack))).toBe(first);
  });

  it('is told apart from one as long', () => {
    const [one, two] = ['nonce 1', 'nonce 2'].map((nonce) => bytesOf([typeTags.sotw, 'some.Type'], [(5 << 3) | 2, nonce]));
    expect(memory.read(one as Buffer).nonce).toBe('nonce 1');
    expect(memory.read(two as Buffer).nonce).toBe('nonce 2');
    expect(memory.read(one as Buffer).nonce).toBe('nonce 1');
  });

  it('is read anew where a node tells of itself', () => {
    const first = bytesOf([(2 << 3) | 2, '\n\u0001a']);
    expect(memory.read(first).node?.id).toBe('a');
    expect(memory.read(Buffer.from(first))).not.toBe(memory.read(first));
  });

  it('that is no message is refused each time', () => {
    const broken = Buffer.from([0xff]);
    expect(() => memory.read(broken)).toThrow();
    expect(() => memory.read(broken)).toThrow();
  });
});
