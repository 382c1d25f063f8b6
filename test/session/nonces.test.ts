import { describe, expect, it } from 'vitest';
import { Nonces } from '../../src/session/nonces.ts';
import { Stage } from './stage.ts';

const uuid = /^v\/\d+[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('Nonces', () => {
  it('are all different on one stream, and the same on all streams in the same place', () => {
    const nonces = new Nonces();
    const stream = (): string[] => {
      const had: string[] = [];
      for (const version of ['v/1', 'v/1', 'v/1', 'v/2', 'v/2']) had.push(nonces.next(version, 'CDS', had.at(-1)));
      return had;
    };
    const one = stream();
    expect(new Set(one).size).toBe(5);
    expect(one.every((nonce) => uuid.test(nonce))).toBe(true);
    expect(stream()).toEqual(one);
  });

  it('are others for another type, and for another server', () => {
    const nonces = new Nonces();
    const others = [nonces.next('v/1', 'EDS', undefined), new Nonces().next('v/1', 'CDS', undefined)];
    expect(others).not.toContain(nonces.next('v/1', 'CDS', undefined));
  });

  it('of old versions do not fill the memory, and do not come back', () => {
    const nonces = new Nonces();
    const first = nonces.next('v/0', 'CDS', undefined);
    for (let version = 1; version < 1000; version += 1) nonces.next(`v/${version}`, 'CDS', undefined);
    expect(nonces.next('v/0', 'CDS', first)).not.toBe(first);
    expect((nonces as unknown as { rows: ReadonlyMap<string, unknown> }).rows.size).toBe(256);
  });

  it('differ where the same version is pushed again to the same stream', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const client = stage.connect();
    client.ask('CDS');
    for (let round = 0; round < 3; round += 1) stage.plane.sessions.pushAll();
    expect(new Set(client.received.map(({ nonce }) => nonce)).size).toBe(4);
  });
});
