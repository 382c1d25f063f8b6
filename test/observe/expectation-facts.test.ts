import { describe, expect, it } from 'vitest';
import type { StatValue } from '../../src/envoy/index.ts';
import { httpKey } from '../../src/observe/sample.ts';
import type { HttpSubject, Sample } from '../../src/observe/sample.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Subject, Timing } from '../../src/script/expectation.ts';
import { valueMatcher } from '../../src/script/matcher.ts';
import { expectation, run } from './expectation-run.ts';

describe('an expectation on facts of Envoy', () => {
  const soon: Timing = { kind: 'within', ms: 1_000 };
  const stats = (...entries: readonly (readonly [string, StatValue])[]) => new Map(entries);
  const hello: HttpSubject = {
    kind: 'http',
    listener: 'l1',
    path: '/',
    headers: {},
    status: valueMatcher(200),
    body: valueMatcher('/hello/'),
  };
  const shut: HttpSubject = { kind: 'http', listener: 'l1', path: '/', headers: {}, refused: true };

  it.each<readonly [string, Subject, Partial<Sample>, boolean, string]>([
    [
      '/ready as wanted',
      { kind: 'ready', code: valueMatcher(503), body: valueMatcher('PRE_*') },
      { ready: { code: 503, body: 'PRE_INITIALIZING' } },
      true,
      '',
    ],
    [
      '/ready with another code',
      { kind: 'ready', code: valueMatcher(200) },
      { ready: { code: 503, body: 'INITIALIZING' } },
      false,
      '/ready said 503 INITIALIZING',
    ],
    ['a stat that is 0 where 0 is wanted', { kind: 'stats', stats: { a: valueMatcher(0) } }, { stats: stats(['a', 0]) }, true, ''],
    [
      'a stat that is 0 where none is wanted',
      { kind: 'stats', stats: { a: valueMatcher('>= 1'), b: { kind: 'absent' } } },
      { stats: stats(['a', 1], ['b', 0]) },
      false,
      'b was 0',
    ],
    [
      'a stat that is absent where 0 is wanted',
      { kind: 'stats', stats: { a: valueMatcher(0) } },
      { stats: stats() },
      false,
      'a was absent',
    ],
    [
      'pilot-agent being content',
      { kind: 'agent', verdict: valueMatcher('ready') },
      { agentStats: stats(['cluster_manager.cds.update_success', 1]) },
      false,
      'pilot-agent would say: config not fully received',
    ],
    [
      'a resource that is active',
      { kind: 'config', typeUrl: TypeUrl.cluster, where: 'active', has: ['a'], lacks: ['b'] },
      { config: { configs: [{ dynamic_active_clusters: [{ cluster: { name: 'a' } }] }] } },
      true,
      '',
    ],
    [
      'a resource that is there and should not be',
      { kind: 'config', typeUrl: TypeUrl.cluster, where: 'any', has: [], lacks: ['a'] },
      { config: { configs: [{ dynamic_warming_clusters: [{ cluster: { name: 'a' } }] }] } },
      false,
      'CDS resources active or warming: a',
    ],
    [
      'a count of resources',
      { kind: 'config', typeUrl: TypeUrl.cluster, where: 'active', has: [], lacks: [], count: valueMatcher(1) },
      { config: { configs: [] } },
      false,
      'no CDS resource was active',
    ],
    [
      'a place in the dump',
      { kind: 'dump', path: 'configs.*.name', value: valueMatcher('b') },
      { config: { configs: [{ name: 'a' }, { name: 'b' }] } },
      true,
      '',
    ],
    [
      'nothing at a place in the dump',
      { kind: 'dump', path: 'configs.*.x', value: valueMatcher('b') },
      { config: { configs: [] } },
      false,
      'config_dump had nothing at configs.*.x',
    ],
    [
      'an answer of a listener',
      hello,
      { http: new Map([[httpKey(hello), { kind: 'answered', status: 200, body: 'hello there' }]]) },
      true,
      '',
    ],
    [
      'another answer of a listener',
      hello,
      { http: new Map([[httpKey(hello), { kind: 'answered', status: 503, body: '' }]]) },
      false,
      'GET / of listener l1 gave 503',
    ],
    ['a refused connection that is wanted', shut, { http: new Map([[httpKey(shut), { kind: 'refused' }]]) }, true, ''],
    [
      'a listener that is not there, which is not a refusal',
      shut,
      { http: new Map([[httpKey(shut), { kind: 'failed', reason: 'Envoy has no listener l1' }]]) },
      false,
      'GET / of listener l1: Envoy has no listener l1',
    ],
  ])('judges %s', (_, subject, facts, holds, seen) => {
    const world = run(expectation(subject, soon));
    world.start();
    world.sample(10, facts);
    world.checks.tick(1_001);
    expect(world.status).toEqual([holds ? 'met' : 'failed']);
    if (!holds) expect(world.reason).toContain(`1 s after the start ${seen}`);
  });

  it('tells requests apart by their headers', () => {
    const asked: HttpSubject = { ...hello, headers: { host: 'a' } };
    expect(httpKey(asked)).not.toBe(httpKey(hello));
    expect(httpKey({ ...hello, headers: { a: '1', b: '2' } })).toBe(httpKey({ ...hello, headers: { b: '2', a: '1' } }));
  });

  it('counts what pilot-agent would say only of a look that asked for it', () => {
    const world = run(expectation({ kind: 'agent', verdict: valueMatcher('ready') }, soon, { after: 'release' }));
    const accepted = [
      'cluster_manager.cds.update_success',
      'listener_manager.lds.update_success',
      'listener_manager.workers_started',
    ] as const;
    const agentStats = stats(['server.state', 0], ...accepted.map((name) => [name, 1] as const));
    world.start();
    world.sample(10, { agentStats });
    world.moment(20, 'release');
    world.sample(30, { state: 'LIVE' });
    expect(world.status).toEqual(['pending']);
    world.sample(40, { agentStats });
    expect(world.status).toEqual(['met']);
  });

  it('asks only for what is still undecided and whose time has come; pilot-agent probes from the start', () => {
    const world = run(
      expectation({ kind: 'ready', code: valueMatcher(503) }, soon),
      expectation({ kind: 'stats', stats: { a: valueMatcher(1), b: valueMatcher(1) } }, soon, { after: 'release' }),
      expectation({ kind: 'agent', verdict: valueMatcher('ready') }, soon, { after: 'release' }),
      expectation(hello, soon, { after: 'release' }),
      expectation({ kind: 'dump', path: 'x', value: valueMatcher('y') }, soon, { after: 'release' }),
    );
    world.start();
    expect(world.checks.needs).toEqual({ ready: true, stats: [], agent: true, config: false, http: [] });
    world.sample(10, { ready: { code: 503, body: '' } });
    world.moment(20, 'release');
    expect(world.checks.needs).toEqual({ ready: false, stats: ['a', 'b'], agent: true, config: true, http: [hello] });
  });
});
