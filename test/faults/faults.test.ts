import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/faults/fault.ts';
import { applyFaults, delay, drop } from '../../src/faults/registry.ts';
import { node, url } from '../protocol/world.ts';

const response = {
  variant: 'sotw',
  typeUrl: url('CDS'),
  version: 'v1',
  nonce: 'n1',
  resources: [],
  removed: [],
  cause: 'reply',
  sequence: 1,
} as const;

/** What becomes of some responses one after the other: `dropped`, or for how long they wait. */
function fates(faults: readonly Fault[], count: number): (string | number)[] {
  let left = faults;
  return Array.from({ length: count }, () => {
    const { delivery, faults: after } = applyFaults(left, response, node);
    left = after;
    return delivery.dropped ? 'dropped' : delivery.delayMs;
  });
}

describe('Faults on the way out', () => {
  it.each<[string, readonly Fault[], (string | number)[]]>([
    ['there are none', [], [0, 0, 0]],
    ['a delay holds each response', [delay(url('CDS'), 5)], [5, 5, 5]],
    ['delays add up', [delay(url('CDS'), 5), delay(url('CDS'), 2)], [7, 7, 7]],
    ['a drop is used up', [drop(url('CDS'), 2)], ['dropped', 'dropped', 0]],
    ['a drop leaves the delay behind it', [drop(url('CDS'), 1), delay(url('CDS'), 5)], ['dropped', 5, 5]],
    ['another type is left alone', [drop(url('LDS'), 1), delay(url('LDS'), 5)], [0, 0, 0]],
    ['another node is left alone', [drop(url('CDS'), 1, { node: { id: 'other' } })], [0, 0, 0]],
    ['another variant is left alone', [delay(url('CDS'), 5, { variant: 'delta' })], [0, 0, 0]],
  ])('%s', (_, faults, expected) => expect(fates(faults, 3)).toEqual(expected));

  it('are not used up by a response that they do not concern', () => {
    const faults = [drop(url('LDS'), 1)];
    expect(applyFaults(faults, response, node).faults).toEqual(faults);
  });
});
