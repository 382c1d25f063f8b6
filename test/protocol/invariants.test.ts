import { describe, expect, it } from 'vitest';
import { bothVariants } from './model-client.ts';
import { RandomWalk } from './random-walk.ts';

const walks = 100;
const steps = 40;

describe.each(bothVariants)('Whatever happens, in %s', (variant) => {
  it('each response is new, wanted, newest, not withheld and has a cause, and the client ends up with what is served', () => {
    let sent = 0;
    for (let seed = 1; seed <= walks; seed++) {
      const walk = new RandomWalk(variant, seed);
      for (let i = 0; i < steps && walk.findings.length === 0; i++) walk.step();
      if (walk.findings.length === 0) walk.settle();
      expect(walk.findings, `seed ${seed}`).toEqual([]);
      sent += walk.client.responses.length;
    }
    // The walks have to lead somewhere.
    expect(sent).toBeGreaterThan(walks * 5);
  });
});
