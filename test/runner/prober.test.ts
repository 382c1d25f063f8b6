import { describe, expect, it } from 'vitest';
import { adminClient } from '../../src/envoy/index.ts';
import type { Needs, Sample } from '../../src/observe/sample.ts';
import { startProber } from '../../src/runner/prober.ts';
import { hurriedClock, stubAdmin } from '../envoy-unit/stub-admin.ts';
import type { StubAnswer } from '../envoy-unit/stub-admin.ts';

const nothing: Needs = { ready: false, stats: [], agent: false, config: false, http: [] };
const all: Needs = {
  ready: true,
  stats: ['a.b', 'c'],
  agent: true,
  config: true,
  http: [{ kind: 'http', listener: 'l1', path: '/', headers: {} }],
};

/** Probes until the first sample that `done` accepts, or until the prober gives up. */
async function probed(answer: (path: string) => StubAnswer, needs: Needs, done: (sample: Sample) => boolean) {
  const stub = await stubAdmin(answer);
  const clock = hurriedClock();
  return new Promise<{ sample?: Sample; mute?: string; requests: readonly string[] }>((resolve) => {
    const finish = (found: { sample?: Sample; mute?: string }): void => {
      void prober.stop().then(() => resolve({ ...found, requests: stub.requests }));
    };
    const prober = startProber({
      admin: adminClient(stub.url, { clock }),
      clock,
      nowMs: () => clock.now(),
      needs: () => needs,
      onSample: (sample) => done(sample) && finish({ sample }),
      onMute: (mute) => finish({ mute }),
    });
  });
}

const answers = (path: string): StubAnswer => {
  if (path === '/ready') return { code: 503, body: 'INITIALIZING\n' };
  if (path.startsWith('/stats')) return path.includes('usedonly') ? 'server.state: 3\n' : 'a.b: 1\n';
  return '{}';
};

describe('the prober', () => {
  it('asks for the state alone where nothing else is needed', async () => {
    const { sample, requests } = await probed(answers, nothing, () => true);
    expect(sample).toMatchObject({ state: 'INITIALIZING' });
    expect(new Set(requests)).toEqual(new Set(['GET /ready']));
    expect(Object.keys(sample ?? {}).sort()).toEqual(['finishedAtMs', 'startedAtMs', 'state']);
  });

  it('asks for all that is needed in one sample, stats by their whole names', async () => {
    const { sample, requests } = await probed(answers, all, () => true);
    expect(sample).toMatchObject({ state: 'INITIALIZING', ready: { code: 503, body: 'INITIALIZING' }, config: {} });
    expect(sample?.stats?.get('a.b')).toBe(1);
    expect(sample?.agentStats?.get('server.state')).toBe(3);
    expect([...(sample?.http?.values() ?? [])]).toEqual([{ kind: 'failed', reason: 'Envoy has no listener l1' }]);
    expect(requests).toContain(`GET /stats?filter=${encodeURIComponent('^(a\\.b|c)$')}`);
    expect(requests).toContain('GET /config_dump?include_eds');
  });

  it('leaves out of a sample what cannot be had', async () => {
    const { sample } = await probed(
      (path) => (path.startsWith('/config_dump') ? { code: 500, body: '' } : answers(path)),
      all,
      () => true,
    );
    expect(sample?.state).toBe('INITIALIZING');
    expect(sample?.config).toBeUndefined();
  });

  it('gives up on an admin API that has said nothing for long, with why', async () => {
    const { mute } = await probed(
      () => ({ code: 200, body: 'hello' }),
      nothing,
      () => false,
    );
    expect(mute).toContain('/ready');
  });
});
