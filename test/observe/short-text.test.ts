import { describe, expect, it } from 'vitest';
import { frameText } from '../../src/observe/frame-text.ts';
import { shortened } from '../../src/observe/short-text.ts';

describe('What a client made up', () => {
  it('is told whole as long as somebody may have meant it, else by how it begins and how long it is', () => {
    const name = `outbound|80||${'x'.repeat(487)}`;
    expect(shortened(name)).toBe(name);
    expect(shortened('x'.repeat(1_000_000))).toBe(`${'x'.repeat(500)}… (1000000 characters)`);
  });

  it('does not fill the words of a frame', () => {
    const endless = 'x'.repeat(1_000_000);
    const frame = {
      seq: 1,
      atMs: 0,
      direction: 'in',
      type: endless,
      typeUrl: endless,
      stream: 1,
      variant: 'sotw',
      outcome: 'nack',
    } as const;
    const more = { names: [endless], removed: [], version: endless, nonce: endless, errorDetail: { code: 13, message: endless } };
    expect(frameText({ ...frame, ...more, node: endless } as unknown as Parameters<typeof frameText>[0]).length).toBeLessThan(4000);
  });
});
