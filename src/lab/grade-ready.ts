import type { LineGrade } from './grade.ts';
import { gradeValues, type WantedLine } from './grade-values.ts';

/** Judges `06-ready.txt`: an Envoy that runs and has no istiod. */
export function gradeReady(text: string): readonly LineGrade[] {
  return gradeValues(text, wanted);
}

const wanted: readonly WantedLine[] = [
  {
    name: 'ready_code',
    values: ['503'],
    hint: (found) => codeHints[found ?? ''] ?? 'The status code of /ready on the admin port: `curl -s -o /dev/null -w "%{http_code}"`.',
  },
  {
    name: 'ready_body',
    values: ['PRE_INITIALIZING'],
    hint: (found) =>
      found === 'LIVE'
        ? 'This Envoy is LIVE: it has had an answer. Which istiod, or which other Envoy, is that?'
        : 'The body of /ready is one word, the state of the server, in capitals.',
  },
  {
    name: 'connected_state',
    values: ['0'],
    hint: (found) =>
      found === '1'
        ? 'It is 1 while a connection is being tried, or somebody listens at the discovery address. Look again, some times.'
        : 'The value of control_plane.connected_state in /stats: the number after the colon.',
  },
];

const codeHints: Readonly<Record<string, string>> = {
  '000': 'Nobody answered: wait until the admin port is open, then ask. Envoy need not be LIVE for that.',
  '200':
    'This Envoy is ready, so something answers its CDS and LDS. Is another Envoy on the port, is there an istiod, or is initial_fetch_timeout not 0s?',
  '404': 'That is no admin port of Envoy, or another path than /ready.',
};
