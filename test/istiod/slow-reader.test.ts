import { expect, it } from 'vitest';
import { startFakeIstiod } from '../../src/index.ts';
import { afterwards } from '../wire/served.ts';
import { clusterType } from '../wire/recorded-streams.ts';
import { RawClient } from '../wire/raw-client.ts';

it.each(['sotw', 'delta'] as const)(
  'a client that reads nothing while much is published is sent a few responses, the last of which is the newest (%s)',
  async (variant) => {
    const istiod = await startFakeIstiod({ bind: ['127.0.0.1'] });
    afterwards(() => istiod.stop());
    const clusters = (round: number) => ({ clusters: [{ name: 'a', alt_stat_name: `${round}-`.padEnd(60_000, 'x') }] });
    istiod.publish(clusters(0));
    const client = await RawClient.connect(`http://127.0.0.1:${istiod.port}`);
    afterwards(() => client.close());
    const call = client.stream(variant);
    call.send({ typeUrl: clusterType, node: { id: 'slow' } });
    await call.next();
    call.http2.pause();
    const rounds = 400;
    let newest = '';
    for (let round = 1; round <= rounds; round += 1) {
      newest = istiod.publish(clusters(round)).version;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    const versionOf = (message: Readonly<Record<string, unknown>>): unknown =>
      variant === 'sotw' ? message['versionInfo'] : message['systemVersionInfo'];
    call.http2.resume();
    let came = 0;
    for (let version: unknown; version !== newest; came += 1) version = versionOf(await call.next());
    expect(came).toBeLessThan(100);
    expect(istiod.timeline.events.filter(({ event }) => event === 'response.sent')).toHaveLength(came + 1);
  },
);
