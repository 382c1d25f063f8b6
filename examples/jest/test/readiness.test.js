const { TypeUrl } = require('fake-istiod');
const { setUpIstiod, withIstiod } = require('fake-istiod/testing');

const cluster = (name) => ({ name, connect_timeout: '1s' });

describe('A proxy that gets all it asks for', () => {
  const bed = setUpIstiod({ scenario: 'ready' });

  test('becomes LIVE, and has accepted everything', async () => {
    const { istiod, envoy } = bed;
    await expect(envoy).toReachState('LIVE');
    await expect(envoy).toHaveAcked('CDS', 'EDS', 'LDS');
    await expect(envoy).not.toHaveNacked();
    expect(istiod.timeline.events).toContainEqual(expect.toBeEvent({ event: 'stream.opened', variant: 'delta' }));
  });

  test('accepts what is published later', async () => {
    const { istiod, envoy } = bed;
    await expect(envoy).toReachState('LIVE');
    const push = istiod.update({ set: { clusters: [cluster('new')] } });
    await expect(envoy).toHaveAcked(push);
    expect((await envoy.admin.clusters()).map(({ name }) => name)).toContain('new');
  });
});

test(
  'over TLS, with the root certificate of the test itself',
  withIstiod(
    {
      scenario: 'ready',
      envoy: { bootstrap: async (istiod) => ({ tls: { rootCert: await istiod.rootCertificate() } }) },
    },
    async ({ istiod, envoy }) => {
      await expect(envoy).toReachState('LIVE');
      await istiod.waitFor({ type: 'stream.opened', secure: true });
    },
  ),
);

test(
  'a proxy whose clusters are withheld is not ready until they are released',
  withIstiod({ scenario: 'ready', prepare: (istiod) => istiod.withhold('CDS') }, async ({ istiod, envoy }) => {
    await istiod.waitFor({ type: 'response.withheld', typeUrl: TypeUrl.cluster });
    await expect(envoy).toStayIn('PRE_INITIALIZING', { forMs: 300 });

    istiod.release('CDS');
    await expect(envoy).toReachState('LIVE');
  }),
);
