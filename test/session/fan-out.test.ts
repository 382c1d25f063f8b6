import { describe, expect, it } from 'vitest';
import { FanOut } from '../../src/session/fan-out.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** So many streams, each of which takes a millisecond to tell; what each was told, and the time. */
function crowd(size: number) {
  const told = Array.from({ length: size }, () => 0);
  let now = 0;
  let done = 0;
  const streams = told.map((_, place) => ({
    publish() {
      now += 1;
      told[place] = (told[place] ?? 0) + 1;
    },
  }));
  const fanOut = new FanOut(
    () => (done += 1),
    () => now,
  );
  return { told, streams, fanOut, heard: () => told.filter((times) => times > 0).length, done: () => done };
}

describe('Telling many streams', () => {
  it('takes a few dozen at a time where each takes long, and the rest in the next turns of the event loop', async () => {
    const { streams, fanOut, heard, done } = crowd(80);
    fanOut.begin(streams);
    expect(heard()).toBe(32);
    await turn();
    expect(heard()).toBe(64);
    expect(done()).toBe(0);
    await turn();
    expect(heard()).toBe(80);
    expect(done()).toBe(1);
  });

  it('takes all at once where that takes no time', () => {
    const told: number[] = [];
    new FanOut(undefined, () => 0).begin(Array.from({ length: 10_000 }, (_, number) => ({ publish: () => void told.push(number) })));
    expect(told).toHaveLength(10_000);
  });

  it('tells who still waits once, of whatever is newest', async () => {
    const { told, streams, fanOut } = crowd(80);
    for (let times = 3; times > 0; times -= 1) fanOut.begin(streams);
    for (let turns = 4; turns > 0; turns -= 1) await turn();
    expect(told[0]).toBe(2);
    expect(told.at(-1)).toBe(1);
  });

  it('tells all who wait when it has to be done', () => {
    const { streams, fanOut, heard } = crowd(80);
    fanOut.begin(streams);
    fanOut.finish();
    expect(heard()).toBe(80);
  });
});
