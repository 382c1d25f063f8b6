import { describe, expect, it } from 'vitest';
import { resultText, summaryTable } from '../../src/runner/summary-table.ts';
import { madeResult, madeScenario } from './made-scenario.ts';

const good = madeResult({ scenario: madeScenario({ name: 'withhold-first-cds' }) });
const bad = madeResult({
  variant: 'delta',
  ok: false,
  expectations: [
    {
      index: 0,
      sentence: 'Envoy is LIVE within 5 s.',
      status: 'failed',
      reason: '5 s after the start Envoy was INITIALIZING',
      atMs: 5_001,
    },
    { index: 1, sentence: 'A CDS ACK arrives within 5 s.', status: 'met', atMs: 80 },
  ],
  neverFired: [{ step: 'release', sentence: 'step release never fired: it waits for the 2nd CDS request; 1 came' }],
  problems: ['Envoy was ended by SIGKILL'],
  durationMs: 5_010,
});
const calledOff = madeResult({
  ok: false,
  interrupted: true,
  expectations: [{ index: 0, sentence: 'Envoy is LIVE.', status: 'undecided', atMs: 10 }],
});

describe('the summary', () => {
  it('has a line for each run, and under the table why a run failed', () => {
    expect(summaryTable([good, bad])).toBe(
      [
        '   scenario            variant  Envoy   expectations  time',
        '✓  withhold-first-cds  sotw     1.40.0  1 of 1        1.2 s',
        '✗  made                delta    1.40.0  1 of 2        5.0 s',
        '',
        'made (delta)',
        '  ✗ Envoy was ended by SIGKILL',
        '  ✗ Envoy is LIVE within 5 s.',
        '    5 s after the start Envoy was INITIALIZING',
        '  ✗ step release never fired: it waits for the 2nd CDS request; 1 came',
        '',
        '1 as expected, 1 not',
      ].join('\n'),
    );
  });

  it('tells a run that was called off from one that failed', () => {
    const table = summaryTable([calledOff]);
    expect(table).toContain('–  made');
    expect(table).toMatch(/0 as expected, 1 called off$/);
  });

  it('has colour only where it is wanted', () => {
    expect(summaryTable([good])).not.toContain('\u001b');
    expect(summaryTable([good], { colour: true })).toContain('\u001b[32m✓');
  });

  it('can be of one run, expectation by expectation', () => {
    expect(resultText(bad)).toBe(
      [
        '✗ Envoy is LIVE within 5 s.',
        '  5 s after the start Envoy was INITIALIZING',
        '✓ A CDS ACK arrives within 5 s.',
        '✗ Envoy was ended by SIGKILL',
        '✗ step release never fired: it waits for the 2nd CDS request; 1 came',
        'not as expected',
      ].join('\n'),
    );
    expect(resultText(good)).toBe('✓ Envoy is LIVE within 5 s.\nas expected');
  });
});
