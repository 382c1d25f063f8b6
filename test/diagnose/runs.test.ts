import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { causesOf, diagnosed, statsText } from './given.ts';

interface Observation {
  readonly t: number;
  readonly state: string;
  readonly stats?: Readonly<Record<string, number>>;
}
interface Run {
  readonly obs: readonly Observation[];
  readonly envoy_log: readonly string[];
}

const file = '../shared/cases/runs.json';
const runs = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Run>>) : {};

/** What each run is at its end: class and causes, by the number that its name begins with. */
const expected: Readonly<Record<string, readonly [string, ...string[]]>> = {
  '00': ['ready'],
  '00b': ['ready', 'nothing-listens'],
  '01': ['not-ready', 'xds-refused?'],
  '01b': ['not-ready', 'fetch-timeout-passed', 'xds-refused?'],
  '03': ['not-ready', 'cds-withheld?', 'xds-silent?'],
  '03b': ['false-live', 'fetch-timeout-passed', 'agent-not-satisfied'],
  '04': ['not-ready', 'lds-withheld'],
  '05': ['not-ready', 'eds-withheld?', 'cluster-sds-withheld?'],
  '05b': ['false-live', 'fetch-timeout-passed'],
  '05d': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '05e': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '05f': ['not-ready', 'eds-withheld?', 'cluster-sds-withheld?'],
  '06': ['not-ready', 'rds-withheld?', 'listener-sds-withheld?', 'ecds-withheld?'],
  '06b': ['false-live', 'fetch-timeout-passed'],
  '08': ['not-ready', 'lds-nacked', 'agent-not-satisfied'],
  '08b': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '08c': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '08d': ['not-ready', 'route-to-unknown-cluster', 'nack-loop', 'agent-not-satisfied'],
  '09': ['not-ready', 'lds-nacked', 'agent-not-satisfied'],
  '09b': ['not-ready', 'listener-address-clash', 'agent-not-satisfied'],
  '09c': ['not-ready', 'cds-nacked', 'agent-not-satisfied'],
  '09d': ['not-ready', 'listener-address-clash', 'agent-not-satisfied'],
  '09e': ['ready'],
  '10': ['not-ready', 'authentication-refused'],
  '10c': ['not-ready', 'token-audience'],
  '11': ['not-ready', 'xds-name-not-resolved'],
  '12': ['crash-loop', 'ads-cluster-unknown'],
  '13': ['not-ready', 'no-http2'],
  '16': ['not-ready', 'unsolicited'],
  '17': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '17b': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '19': ['ready'],
  '20': ['ready'],
  '21': ['ready'],
  '23': ['ready'],
  '24': ['not-ready', 'cds-withheld?', 'xds-silent?'],
  '25b': ['not-ready', 'route-to-unknown-cluster', 'agent-not-satisfied'],
  '30c': ['not-ready', 'tls-unverified'],
  '30d': ['not-ready', 'tls-wrong-name'],
  '30f': ['not-ready', 'connection-cut?'],
  '31': ['not-ready', 'xds-refused'],
  '32': ['ready'],
  '33': ['not-ready', 'token-audience'],
  '40': ['not-ready', 'agent-socket-down'],
  '41': ['ready'],
  '42': ['not-ready', 'cds-withheld?', 'xds-silent?'],
  '43': ['not-ready', 'cds-withheld?', 'xds-silent?'],
  '43b': ['ready'],
  '50': ['ready'],
  '51': ['not-ready', 'eds-withheld?', 'cluster-sds-withheld?'],
  '54': ['ready', 'route-to-unknown-cluster'],
  '55': ['ready'],
  '58': ['ready'],
  '59': ['not-ready', 'rds-withheld?', 'listener-sds-withheld?', 'ecds-withheld?'],
  '62': ['not-ready', 'listener-not-bound', 'agent-not-satisfied'],
  '65': ['ready'],
  '66': ['ready'],
};

describe.skipIf(Object.keys(runs).length === 0)('the recorded runs of a real Envoy (../shared/cases/runs.json)', () => {
  const rows = Object.entries(runs).flatMap(([name, run]) => {
    const last = run.obs.at(-1);
    return last ? [{ name, last, log: run.envoy_log }] : [];
  });

  it.each(rows)('$name is diagnosed as what it is', ({ name, last, log }) => {
    const wanted = expected[name.split('-')[0] ?? ''];
    const result = diagnosed({
      'stats.txt': statsText(last.stats ?? {}),
      ...(last.state.startsWith('EXITED') ? { 'exit.txt': `envoy\n${last.state.replace('EXITED ', '')}` } : { 'ready.txt': last.state }),
      'envoy.log': log.join('\n'),
    });
    if (wanted) expect([result.class, ...causesOf(result)]).toEqual(wanted);
    else expect(result.class).not.toBe('unknown');
  });

  it.each(rows.filter(({ last }) => last.stats !== undefined))(
    '$name is of that class by its stats alone, or cannot be told',
    ({ name, last }) => {
      const wanted = expected[name.split('-')[0] ?? ''];
      const { class: kind } = diagnosed({ 'stats.txt': statsText(last.stats ?? {}) });
      if (wanted) expect([wanted[0], 'unknown']).toContain(kind);
    },
  );
});
