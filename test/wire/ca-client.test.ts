import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createAuthority } from '../../src/ca/authority.ts';
import { systemClock } from '../../src/clock.ts';
import { askCa } from '../../src/wire/ca-client.ts';
import { manualClock } from '../clock.ts';

it('the proxy waits for a mute CA as long as its own clock says', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const rootPem = await createAuthority({ clock: systemClock }).rootPem();
  const clock = manualClock();
  const answer = askCa({
    istiod: { address: `127.0.0.1:${port}`, tls: { rootPem, serverName: 'istiod.istio-system.svc' } },
    csr: '',
    validitySeconds: 60,
    token: undefined,
    clusterId: undefined,
    deadlineMs: 5_000,
    clock,
  });
  expect(clock.pending).toBe(1);
  clock.advance(5_000);
  expect(await answer).toEqual({ code: 4, text: 'no answer within 5 s' });
  await mute[Symbol.asyncDispose]();
});
