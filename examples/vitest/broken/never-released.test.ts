// Broken on purpose: nobody releases what is withheld. `broken.txt` shows how that fails.
import { istiodTest } from 'fake-istiod/testing/vitest';
import { expect } from 'vitest';

const test = istiodTest({ scenario: 'ready', prepare: (istiod) => istiod.withhold('CDS') });

test('a proxy becomes ready', async ({ istiod, envoy }) => {
  await istiod.waitFor({ type: 'response.withheld' });
  await expect(envoy).toReachState('LIVE', { timeoutMs: 500 });
});

test('a proxy has accepted its clusters', async ({ envoy }) => {
  await expect(envoy).toHaveAcked('CDS', { timeoutMs: 500 });
});

test('any other failure shows the timeline, too', async ({ istiod, envoy }) => {
  await istiod.waitFor({ type: 'response.withheld' });
  expect((await envoy.admin.ready()).code).toBe(200);
});
