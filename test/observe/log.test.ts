import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLog, logEvents } from '../../src/observe/log.ts';
import type { LogOptions } from '../../src/observe/log.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { manualClock } from '../clock.ts';
import { made } from './events.ts';

/** Logs two streams' worth of events, and gives what was written. */
async function logged(options: Omit<LogOptions, 'stream'>): Promise<string> {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  const timeline = createTimeline(manualClock());
  const stop = logEvents(timeline, await createLog({ ...options, stream }));
  timeline.record({ event: 'stream.opened', stream: 1, variant: 'delta', peer: '127.0.0.1:9', secure: true });
  timeline.record(made.request('CDS'));
  timeline.record(made.nacked('LDS', 'bad listener'));
  timeline.record({ event: 'server.failed', reason: 'port taken' });
  stop();
  timeline.record(made.request('EDS'));
  return text;
}

describe('the log', () => {
  it('has a line of JSON for each stream at info, and what was rejected or failed at warn', async () => {
    const lines = (await logged({}))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, event, msg }) => [level, event, msg])).toEqual([
      [30, 'stream.opened', 'stream 1 opened: delta, TLS, from 127.0.0.1:9'],
      [40, 'response.nacked', 'LDS NACK: bad listener [stream 1]'],
      [40, 'server.failed', 'istiod failed: port taken'],
    ]);
    expect(lines[0]).toMatchObject({ stream: 1, variant: 'delta', seq: 1 });
  });

  it('has a line for each event at debug, and none at silent', async () => {
    expect((await logged({ level: 'debug' })).trim().split('\n')).toHaveLength(4);
    expect(await logged({ level: 'silent' })).toBe('');
  });

  it('is readable where asked for, with colour only if that is asked for too', async () => {
    const plain = await logged({ pretty: true });
    expect(plain).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: stream 1 opened: delta, TLS, from 127\.0\.0\.1:9/);
    expect(plain).not.toContain('\u001b');
    expect(await logged({ pretty: true, colour: true })).toContain('\u001b');
  });
});
