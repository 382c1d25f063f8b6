import { describe, expect, it } from 'vitest';
import { InOrder } from '../../src/runner/in-order.ts';

/** An order under test, and what it told so far. */
function order() {
  const told: string[] = [];
  let asked = 0;
  const inOrder = new InOrder({ tell: ({ atMs }) => told.push(`event ${atMs}`), onWaiting: () => asked++ });
  return {
    told,
    asked: () => asked,
    event: (atMs: number) => inOrder.event({ event: 'moment.marked', moment: 'm', seq: atMs, atMs }),
    see: (atMs: number) => inOrder.at(atMs, () => told.push(`seen ${atMs}`)),
    confirm: (atMs: number) => inOrder.confirm(atMs),
    inOrder,
  };
}

describe('what comes from two sides', () => {
  it('tells events at once while nothing that was seen waits', () => {
    const { event, told, asked } = order();
    event(1);
    event(2);
    expect([told, asked()]).toEqual([['event 1', 'event 2'], 0]);
  });

  it('lets what was seen wait until no earlier event can come', () => {
    const { event, see, confirm, told, asked } = order();
    see(10);
    expect([told, asked()]).toEqual([[], 1]);
    event(8);
    confirm(9);
    expect(told).toEqual(['event 8']);
    confirm(10);
    expect(told).toEqual(['event 8', 'seen 10']);
  });

  it('takes a later event for proof that all earlier ones have come', () => {
    const { event, see, told } = order();
    see(10);
    event(11);
    expect(told).toEqual(['seen 10', 'event 11']);
  });

  it('puts a moment before what was seen at the same instant', () => {
    const { event, see, confirm, told } = order();
    see(10);
    event(10);
    confirm(10);
    expect(told).toEqual(['event 10', 'seen 10']);
  });

  it('sorts what was seen by its instant, not by when it was told', () => {
    const { see, event, told } = order();
    see(20);
    see(10);
    event(15);
    event(21);
    expect(told).toEqual(['seen 10', 'event 15', 'seen 20', 'event 21']);
  });

  it('asks anew as long as something waits, and no longer', () => {
    const { see, confirm, asked, inOrder } = order();
    see(10);
    confirm(5);
    expect([asked(), inOrder.waiting]).toEqual([2, true]);
    confirm(10);
    expect([asked(), inOrder.waiting]).toEqual([2, false]);
  });

  it('keeps the order when telling brings something new', () => {
    const told: string[] = [];
    const inOrder: InOrder = new InOrder({
      tell: ({ atMs }) => {
        told.push(`event ${atMs}`);
        if (atMs === 1) inOrder.at(2, () => told.push('seen 2'));
      },
      onWaiting: () => undefined,
    });
    const event = (atMs: number) => inOrder.event({ event: 'moment.marked', moment: 'm', seq: atMs, atMs });
    inOrder.at(0.5, () => (event(3), told.push('seen 0.5')));
    event(1);
    expect(told).toEqual(['seen 0.5', 'event 1', 'seen 2', 'event 3']);
  });
});
