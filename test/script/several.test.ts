import { describe, expect, it } from 'vitest';
import { expectationSentence, explainScenario } from '../../src/script/explain.ts';
import { scenarioOf } from './written.ts';

const two = `title: t
bootstrap: { node: { namespace: shop, metadata: { A: a } }, merge: { admin: { x: 1 } }, token_file: {} }
envoys:
  - { name: a, node: { cluster_id: east, network: n, locality: eu/x, metadata: { B: b } }, merge: { admin: { y: 2 } } }
  - { name: b, node: { ip: 10.9.9.9 }, token: {}, args: [--concurrency, '2'] }
`;

describe('Several Envoys', () => {
  it('have the wishes of the scenario beneath their own, and a pod each', async () => {
    const [a, b] = (await scenarioOf(two)).envoys ?? [];
    expect(a).toMatchObject({ name: 'a', nodeId: 'sidecar~10.0.0.2~a.shop~shop.svc.cluster.local', args: [] });
    expect(a?.bootstrap).toMatchObject({
      node: { clusterId: 'east', network: 'n', locality: { region: 'eu', zone: 'x' }, metadata: { A: 'a', B: 'b' } },
      merge: { admin: { x: 1, y: 2 } },
      tokenFile: {},
    });
    expect(b).toMatchObject({ nodeId: 'sidecar~10.9.9.9~b.shop~shop.svc.cluster.local', args: ['--concurrency', '2'] });
    expect(b?.bootstrap).toMatchObject({ token: {}, node: { metadata: { A: 'a' } } });
    expect(b?.bootstrap.tokenFile).toBeUndefined();
  });

  it('must each be what is expected, unless one is named; an event may be of any', async () => {
    const { expectations } = await scenarioOf(`${two}expect:
  - { state: LIVE }
  - { state: LIVE, envoy: b }
  - { response.acked: CDS }
  - { response.acked: CDS, envoy: [a, b, '>=1.39'] }
`);
    expect(expectations.map(expectationSentence)).toEqual([
      'Envoy a is LIVE within 10 s.',
      'Envoy b is LIVE within 10 s.',
      'Envoy b is LIVE within 10 s.',
      'A CDS ACK arrives within 10 s.',
      'On Envoy >=1.39: a CDS ACK from a arrives within 10 s.',
      'On Envoy >=1.39: a CDS ACK from b arrives within 10 s.',
    ]);
    expect(expectations.map(({ index }) => index)).toEqual([0, 0, 1, 2, 3, 3]);
  });

  it.each([
    ['envoys: []', /envoys: a run without an Envoy/],
    ['envoys: [{ name: a }, { name: a }]', /two Envoys have the name "a"/],
    ["envoys: [{ name: '1x' }]", /expected a letter/],
    ['envoys: [{ name: east }]\nexpect: [{ state: LIVE, envoy: esat }]', /no Envoy has the name "esat".*Did you mean "east"/],
    ['envoys: [{ name: a }]\nexpect: [{ stream.opened: {}, envoy: a }]', /stream.opened does not tell whose it is/],
    ['envoys: [{ name: a }]\nexpect: [{ request.received: { envoy: a }, envoy: a }]', /named twice/],
    ['envoys: [{ name: a, istiods: [x] }]', /there are no istiods with names/],
    ['istiods: [{ name: a }]\nbootstrap: { istiods: [b] }', /no istiod has the name "b"/],
    ['istiods: [{ name: a }]\nsteps: [{ name: s, when: server.started }]', /not said whose steps/],
    ['istiods: [{ name: a }]\nexpect: [{ state: LIVE, istiod: a }]', /only an event is of an istiod/],
    ['services: []\nmesh: { clusters: [{ name: a }, { name: a }] }', /two clusters have the name "a"/],
    [
      'services: [{ name: s, ports: [80], endpoints: [{ address: 10.0.0.1, cluster: weast }] }]\nmesh: { clusters: [{ name: west }] }',
      /"weast"/,
    ],
  ])('are refused as %s', async (text, why) => {
    await expect(scenarioOf(`title: t\n${text}`)).rejects.toThrow(why);
  });
});

describe('Several istiods', () => {
  it('say what the scenario says, but for what they say themselves; a step of one can wait for a moment of another', async () => {
    const scenario = await scenarioOf(`title: t
serve: { clusters: [] }
istiod: { ready: false }
istiods:
  - { name: old, steps: [{ name: gone, when: server.started, do: { stop: server } }] }
  - { name: new, istiod: { state: down }, steps: [{ when: { moment.marked: gone }, do: { start: server } }] }
`);
    const [old, second] = scenario.istiods ?? [];
    expect(old?.istiod).toMatchObject({ state: 'up', ready: false });
    expect(second?.istiod).toMatchObject({ state: 'down', ready: true });
    expect(second?.layers).toEqual(old?.layers);
    expect(scenario.steps).toEqual(old?.steps);
    expect(second?.steps[0]?.name).toBe('new step 1');
    expect(explainScenario(scenario)).toMatch(
      /istiod new: Nothing listens at first\.[\s\S]*Steps of new\n {2}1\. new step 1: When gone is marked/,
    );
  });
});
