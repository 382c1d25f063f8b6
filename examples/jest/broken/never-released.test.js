// Broken on purpose: nobody releases what is withheld. `broken.txt` shows how that fails.
const { withIstiod } = require('fake-istiod/testing');

const options = { scenario: 'ready', prepare: (istiod) => istiod.withhold('CDS') };

test(
  'a proxy becomes ready',
  withIstiod(options, async ({ istiod, envoy }) => {
    await istiod.waitFor({ type: 'response.withheld' });
    await expect(envoy).toReachState('LIVE', { timeoutMs: 500 });
  }),
);

test(
  'a proxy has accepted its clusters',
  withIstiod(options, async ({ envoy }) => {
    await expect(envoy).toHaveAcked('CDS', { timeoutMs: 500 });
  }),
);

test(
  'any other failure shows the timeline, too',
  withIstiod(options, async ({ istiod, envoy }) => {
    await istiod.waitFor({ type: 'response.withheld' });
    expect((await envoy.admin.ready()).code).toBe(200);
  }),
);
