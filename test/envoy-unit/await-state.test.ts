import { describe, expect, it } from 'vitest';
import { adminClient } from '../../src/envoy/admin-client.ts';
import { FakeIstiodError } from '../../src/errors.ts';
import { hurriedClock, stubAdmin } from './stub-admin.ts';

describe('awaitState', () => {
  it('looks again until Envoy is in the state', async () => {
    const { url, requests } = await stubAdmin((_, nth) => (nth < 4 ? 'PRE_INITIALIZING' : 'LIVE'));
    await adminClient(url, { clock: hurriedClock() }).awaitState('LIVE');
    expect(requests).toHaveLength(4);
  });

  it('outlives an admin API that does not answer yet', async () => {
    const { url } = await stubAdmin((_, nth) => (nth < 3 ? { code: 500, body: 'starting' } : 'LIVE'));
    await expect(adminClient(url, { clock: hurriedClock() }).awaitState('LIVE')).resolves.toBeUndefined();
  });

  it('says in the end where Envoy is instead, what it waits for, and what to look at', async () => {
    const answers: Record<string, string> = {
      '/init_dump': JSON.stringify({ unready_targets_dumps: [{ name: 'Server', target_names: ['LDS'] }] }),
    };
    const { url } = await stubAdmin((path) =>
      path === '/ready'
        ? { code: 503, body: 'INITIALIZING\n' }
        : path.startsWith('/stats')
          ? 'control_plane.connected_state: 1\n'
          : answers[path],
    );
    const wait = adminClient(url, { clock: hurriedClock() }).awaitState('LIVE', { timeoutMs: 2_000 });
    await expect(wait).rejects.toMatchObject({
      code: 'wait.timed-out',
      message:
        'Envoy was not LIVE within 2 s: it is INITIALIZING; /ready says 503 INITIALIZING; it waits for Server (LDS); control_plane.connected_state 1. ' +
        'Envoy has its clusters and waits for its first listeners (LDS, then RDS and SDS of those listeners): was LDS answered?',
    });
  });

  it('tells the last failure where Envoy could not be asked', async () => {
    const wait = adminClient('http://127.0.0.1:1', { clock: hurriedClock() }).awaitState('LIVE', { timeoutMs: 50 });
    await expect(wait).rejects.toMatchObject({ code: 'wait.timed-out', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('ends at once when Envoy does', async () => {
    const ended = new AbortController();
    const gone = new FakeIstiodError('envoy.exited', 'Envoy exited with code 1');
    const { url } = await stubAdmin((_, nth) => {
      if (nth === 2) ended.abort(gone);
      return 'PRE_INITIALIZING';
    });
    await expect(adminClient(url, { ended: ended.signal, clock: hurriedClock() }).awaitState('LIVE')).rejects.toBe(gone);
  });
});
