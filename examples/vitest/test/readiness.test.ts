import { TypeUrl } from 'fake-istiod';
import { istiodTest } from 'fake-istiod/testing/vitest';
import { describe, expect } from 'vitest';

const test = istiodTest({ scenario: 'ready' });
const cluster = (name: string) => ({ name, connect_timeout: '1s' });

describe('A proxy that gets all it asks for', () => {
  test('becomes LIVE, and has accepted everything', async ({ istiod, envoy }) => {
    await expect(envoy).toReachState('LIVE');
    await expect(envoy).toHaveAcked('CDS', 'EDS', 'LDS');
    await expect(envoy).not.toHaveNacked();
    expect(istiod.timeline.events).toContainEqual(expect.toBeEvent({ event: 'stream.opened', variant: 'delta' }));
  });

  test('accepts what is published later', async ({ istiod, envoy }) => {
    await expect(envoy).toReachState('LIVE');
    const push = istiod.update({ set: { clusters: [cluster('new')] } });
    await expect(envoy).toHaveAcked(push);
    expect((await envoy.admin.clusters()).map(({ name }) => name)).toContain('new');
  });

  test('rejects a listener without filter chains, with its reason, and stays LIVE', async ({ istiod, envoy }) => {
    await expect(envoy).toReachState('LIVE');
    const address = { socket_address: { address: '127.0.0.1', port_value: 0 } };
    istiod.update({ set: { listeners: [{ name: 'nowhere', address }] } });
    await expect(envoy).toHaveNacked(/no filter chains/, { type: 'LDS' });
    await expect(envoy).toStayIn('LIVE');
  });

  test('can have a neighbour', async ({ istiod, envoy, startEnvoy }) => {
    const neighbour = await startEnvoy({ bootstrap: { variant: 'sotw', node: { name: 'neighbour' } } });
    for (const one of [envoy, neighbour]) await expect(one).toReachState('LIVE');
    await expect(istiod).toHaveAcked('CDS', { node: '*neighbour*' });
  });
});

describe('A proxy whose clusters are withheld', () => {
  const withheldTest = istiodTest({ scenario: 'ready', prepare: (istiod) => istiod.withhold('CDS') });

  withheldTest('is not ready until they are released', async ({ istiod, envoy }) => {
    await istiod.waitFor({ type: 'response.withheld', typeUrl: TypeUrl.cluster });
    await expect(envoy).toStayIn('PRE_INITIALIZING', { forMs: 300 });
    await expect(envoy).not.toHaveAcked('CDS');

    istiod.release('CDS');
    await expect(envoy).toReachState('LIVE');
  });
});
