import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/events.ts';
import { eventText, eventWords } from '../../src/observe/event-text.ts';
import { at, made } from './events.ts';

const stream = { stream: 3, variant: 'delta' } as const;

describe('an event as a line', () => {
  it.each<readonly [string, Event]>([
    ['  0.213  →  CDS request, initial [stream 1]', made.request('CDS')],
    ['  0.213  →  EDS request for a, b, c and 2 more, initial [stream 1]', made.request('EDS', 'initial', ['a', 'b', 'c', 'd', 'e'])],
    ['  0.213  ←  CDS response v1, a [stream 1]', made.sent('CDS')],
    ['  0.213  ←  LDS response v1, empty [stream 1]', made.sent('LDS', [])],
    ['  0.213  →  CDS ACK v1 [stream 1]', made.acked('CDS')],
    ['  0.213  →  LDS NACK: Error adding listener l1: bad [stream 1]', made.nacked('LDS', 'Error  adding\n listener l1: bad')],
    ['  0.213  ⏸  CDS withheld [stream 1]', made.withheld('CDS')],
    ['  0.213  ●  Envoy is LIVE', made.state('LIVE')],
    ['  0.213  ●  Envoy exited with code 1', made.exited({ code: 1 })],
    ['  0.213  ●  Envoy was ended by SIGKILL', made.exited({ signal: 'SIGKILL' })],
    ['  0.213  ✗  Envoy is LIVE. it was not', { event: 'expectation.failed', index: 0, sentence: 'Envoy is LIVE.', reason: 'it was not' }],
    [
      '  0.213  →  stream 3 closed by the client: status 1, Cancelled',
      { event: 'stream.closed', ...stream, by: 'client', code: 1, text: 'Cancelled' },
    ],
    ['  0.213  ·  istiod accepts connections and says nothing', { event: 'server.silenced', silent: true }],
    ['  0.213  ·  istiod answers again', { event: 'server.silenced', silent: false }],
    ['  0.213  ✗  istiod failed: port taken', { event: 'server.failed', reason: 'port taken' }],
    ['  0.213  ←  stream 3 refused: status 14', { event: 'stream.refused', ...stream, peer: 'p', secure: false, code: 14, text: '' }],
  ])('%s', (line, event) => {
    expect(eventText(at(213, event))).toBe(line);
  });

  it('is cut to the width that is asked for', () => {
    const line = eventText(at(213, made.nacked('LDS', 'x'.repeat(200))), { width: 40 });
    expect(line).toHaveLength(40);
    expect(line.endsWith('…')).toBe(true);
  });

  it('has words for what a delta client holds, drops and subscribes to', () => {
    const request: Event = {
      ...(made.request('EDS', 'initial', ['a']) as Extract<Event, { event: 'request.received' }>),
      held: ['a'],
      unsubscribed: ['b'],
    };
    expect(eventWords(at(0, request)).text).toBe('EDS request for a, no longer b, initial, holding a [stream 1]');
  });
});
