import { describe, expect, it } from 'vitest';
import { withTimelineAtError } from '../../src/testing/evidence.ts';
import { istiodMatchers, setUpIstiod } from '../../src/testing/index.ts';
import { Disposer } from '../../src/testing/test-bed.ts';
import { Witness } from './witness.ts';

describe('setUpIstiod', () => {
  it('says what to do where there are no global hooks', () => {
    expect(() => setUpIstiod()).toThrow('setUpIstiod({ scenario }, { beforeEach, afterEach })');
  });

  it('says when its properties may be read', () => {
    const bed = setUpIstiod({}, { beforeEach: () => undefined, afterEach: () => undefined });
    expect(() => bed.istiod).toThrow('there is no test bed outside a test');
  });
});

describe('What a test bed started', () => {
  it('is stopped once, the last first, all of it also where one fails', async () => {
    const disposer = new Disposer();
    const stopped: string[] = [];
    for (const name of ['istiod', 'one', 'two']) {
      disposer.add(() => {
        stopped.push(name);
        return name === 'one' ? Promise.reject(new Error('one does not go')) : Promise.resolve();
      });
    }
    const [first, second] = [disposer.stop(), disposer.stop()];
    await expect(first).rejects.toThrow('one does not go');
    await expect(second).rejects.toThrow('one does not go');
    expect(stopped).toEqual(['two', 'one', 'istiod']);
  });
});

describe('A failure', () => {
  it('gets the last events into message and stack, once', () => {
    const { timeline } = new Witness().withheld('CDS');
    const error = new Error('expected a to be b');
    for (const _ of [1, 2]) expect(withTimelineAtError(error, timeline)).toBe(error);
    expect(error.message).toBe('expected a to be b\n\nlast events:\n    0.000  ⏸  CDS withheld [stream 1]');
    expect(error.stack).toContain('Error: expected a to be b\n\nlast events:');
  });

  it('that is no error stays as it is', () => {
    const { timeline } = new Witness();
    for (const thrown of ['text', undefined, null, {}]) expect(withTimelineAtError(thrown, timeline)).toBe(thrown);
  });
});

it('The matchers are plain functions that work without a framework', async () => {
  const { pass, message } = await istiodMatchers.toHaveAcked.call({}, new Witness(), 'CDS', { timeoutMs: 0 });
  expect([pass, message()]).toEqual([false, expect.stringContaining('no client has connected')]);
});
