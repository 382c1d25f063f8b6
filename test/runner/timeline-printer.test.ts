import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/events.ts';
import { timelinePrinter } from '../../src/runner/timeline-printer.ts';
import type { TimelinePrinterOptions } from '../../src/runner/timeline-printer.ts';
import { at, made } from '../observe/events.ts';

function printed(events: readonly Event[], options: Omit<TimelinePrinterOptions, 'write'> = {}, label?: string): string {
  let text = '';
  const printer = timelinePrinter({ ...options, write: (piece) => (text += piece) });
  events.forEach((event, i) => printer.event(at(i * 1_000, event), label));
  return text;
}

const failed: Event = {
  event: 'expectation.failed',
  index: 0,
  sentence: 'Envoy is LIVE within 5 s.',
  reason: 'Envoy was INITIALIZING to the end, and here is a lot more to read',
};
const logged = (text: string): Event => ({ event: 'envoy.logged', level: 'warning', text });

describe('the live timeline', () => {
  it('has a line for each event: time, direction, words', () => {
    expect(printed([made.request('CDS'), made.sent('CDS'), made.state('LIVE')])).toBe(
      ['  0.000  →  CDS request, initial [stream 1]', '  1.000  ←  CDS response v1, a [stream 1]', '  2.000  ●  Envoy is LIVE', ''].join(
        '\n',
      ),
    );
  });

  it('says of which run a line is where there are several', () => {
    expect(printed([made.state('LIVE')], {}, 'ready (delta)')).toBe('ready (delta)    0.000  ●  Envoy is LIVE\n');
  });

  it('leaves out what another line says: the request that carries an ACK, the moment of a step', () => {
    expect(printed([made.request('CDS', 'ack'), made.moment('release')])).toBe('');
    expect(printed([made.request('EDS', 'spontaneous', ['a'])])).toContain('EDS request for a, spontaneous');
  });

  it('leaves out what every Envoy says, and what this one repeats', () => {
    expect(
      printed([logged('There is no configured limit to the number of allowed active downstream connections. Configure a limit')]),
    ).toBe('');
    const lines = printed([
      logged('stream closed since 1s ago: 14'),
      logged('stream closed since 2s ago: 14'),
      logged('something else'),
      logged('stream closed since 3s ago: 14'),
    ]).split('\n');
    expect(lines.map((line) => line.slice(12))).toEqual([
      'Envoy logs [warning] stream closed since 1s ago: 14',
      'Envoy logs [warning] something else',
      'Envoy logs [warning] stream closed since 3s ago: 14',
      '',
    ]);
  });

  it('cuts lines to the width, but never the reason of a failure', () => {
    const lines = printed([made.nacked('LDS', 'x'.repeat(100)), failed], { width: 40 }).split('\n');
    expect(lines[0]).toHaveLength(40);
    expect(lines.slice(1, 3)).toEqual([
      '  1.000  ✗  Envoy is LIVE within 5 s.',
      '            Envoy was INITIALIZING to the end, and here is a lot more to read',
    ]);
  });

  it('turns expectations green and red only where colour is wanted', () => {
    const met: Event = { event: 'expectation.met', index: 0, sentence: 'Envoy is LIVE.' };
    const lines = printed([met, failed], { colour: true }).split('\n');
    expect(lines[0]).toBe('\u001b[32m  0.000  ✓  Envoy is LIVE.\u001b[0m');
    expect(lines[1]?.startsWith('\u001b[31m  1.000  ✗')).toBe(true);
    expect(printed([met, failed])).not.toContain('\u001b');
  });
});
