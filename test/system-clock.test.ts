import { expect, it } from 'vitest';
import { systemClock } from '../src/clock.ts';

it('a timer longer than Node can wait does not fire at once', async () => {
  const fired: string[] = [];
  const callOff = systemClock.after(99_999_999_999, () => fired.push('long'));
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  callOff();
  expect(fired).toEqual([]);
});
