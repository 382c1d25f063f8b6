import { describe, expect, it } from 'vitest';
import { sequenceDiagram } from '../../src/runner/sequence-diagram.ts';
import { at, made } from '../observe/events.ts';

describe('the sequence diagram', () => {
  it('has an arrow for each frame and a note for what explains them', () => {
    const events = [
      made.request('CDS'),
      made.withheld('CDS'),
      made.sent('CDS', ['a', 'b', 'c', 'd']),
      made.request('CDS', 'ack'),
      made.acked('CDS'),
      made.state('LIVE'),
    ];
    expect(sequenceDiagram(events.map((event, i) => at(i * 100, event)))).toBe(
      [
        'sequenceDiagram',
        '  participant E as Envoy',
        '  participant I as fake istiod',
        '  E->>I: 0.000 s CDS request (initial)',
        '  Note over I: 0.100 s CDS withheld',
        '  I->>E: 0.200 s CDS response (reply) a, b, c and 1 more',
        '  E-->>I: 0.400 s CDS ACK',
        '  Note over E: 0.500 s LIVE',
        '',
      ].join('\n'),
    );
  });

  it('tells when the server falls silent, answers again, or fails', () => {
    const events = [
      { event: 'server.silenced', silent: true },
      { event: 'server.silenced', silent: false },
      { event: 'server.failed', reason: 'port taken' },
    ] as const;
    expect(
      sequenceDiagram(events.map((event) => at(0, event)))
        .split('\n')
        .slice(3, 6),
    ).toEqual([
      '  Note over I: 0.000 s accepts connections, says nothing',
      '  Note over I: 0.000 s answers again',
      '  Note over I: 0.000 s failed: port taken',
    ]);
  });

  it('keeps what Mermaid would take for its own out of texts', () => {
    const line = sequenceDiagram([at(0, made.nacked('LDS', 'a;b #1\n<c>'))]).split('\n')[3];
    expect(line).toBe('  E-->>I: 0.000 s LDS NACK: a#59;b #35;1 #lt;c#gt;');
  });

  it('is cut where nobody could look at it any more, and says so', () => {
    const lines = sequenceDiagram(Array.from({ length: 500 }, () => at(0, made.acked('CDS')))).split('\n');
    expect(lines.at(-2)).toBe('  Note over E,I: and 100 more lines, see timeline.ndjson');
  });
});
