import { describe, expect, it } from 'vitest';
import { startFakeIstiod } from '../../src/index.ts';
import { startEnvoy } from '../../src/envoy/index.ts';
import { realEnvoy } from './real-envoy.ts';

describe('The library, with a scenario about identity', () => {
  it('gives a bootstrap whose token file the scenario corrects, and Envoy becomes LIVE', async () => {
    const envoyBinary = await realEnvoy();
    await using istiod = await startFakeIstiod({ scenario: 'reject-audience' });
    await using envoy = await startEnvoy({ envoy: envoyBinary, bootstrap: istiod.bootstrap() });
    const rejected = await istiod.waitFor({ type: 'token.rejected' });
    expect(rejected).toMatchObject({ wanted: ['istio-ca'], audiences: ['https://kubernetes.default.svc.cluster.local'] });
    expect(await envoy.admin.state()).toBe('PRE_INITIALIZING');
    await istiod.waitFor({ type: 'token.written' });
    await envoy.admin.awaitState('LIVE');
  });

  it('gives a bootstrap with a client certificate', async () => {
    const envoyBinary = await realEnvoy();
    await using istiod = await startFakeIstiod({ scenario: 'mtls-ready' });
    await using envoy = await startEnvoy({ envoy: envoyBinary, bootstrap: istiod.bootstrap({ variant: 'sotw' }) });
    await envoy.admin.awaitState('LIVE');
    expect(await istiod.waitFor({ type: 'certificate.accepted' })).toMatchObject({ identity: 'spiffe://cluster.local/ns/default/sa/web' });
  });
});
