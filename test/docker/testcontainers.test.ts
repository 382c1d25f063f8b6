import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { WaitStrategy } from 'testcontainers';
import { docker } from '../../src/envoy/docker-cli.ts';
import { openPki, startFakeIstiod } from '../../src/index.ts';
import type { FakeIstiod, FakeIstiodOptions } from '../../src/index.ts';
import { EnvoyContainer, FakeIstiodContainer, forServerState, forStuckIn, startContainerPair } from '../../src/testcontainers/index.ts';
import '../../src/testing/vitest.ts';
import { failureOf } from '../testing/witness.ts';
import { dockerMissing, image } from './composed.ts';

// The reaper is an image of its own, which not every machine can fetch; what is started here is stopped here.
process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';

let missing: string | undefined;
beforeAll(async () => {
  missing = await dockerMissing(false);
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
});

/** Stops it after the test. */
function kept<T extends { stop(): Promise<unknown> }>(started: T): T {
  onTestFinished(async () => void (await started.stop()));
  return started;
}

/** A fake istiod of this process that containers reach. */
async function reachable(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  return kept(await startFakeIstiod({ scenario: 'ready', bind: ['0.0.0.0'], ...options }));
}

/** What the containers of this file bear: others may start and end theirs meanwhile. */
const mine = { 'fake-istiod-test': `testcontainers-${process.pid}` };

/** Containers of this file that are there, running or not. */
async function left(): Promise<string> {
  const [label] = Object.entries(mine).map(([key, value]) => `label=${key}=${value}`);
  return (await docker(['ps', '--all', '--quiet', '--filter', label ?? ''])).stdout.trim();
}

const envoyContainer = () => new EnvoyContainer().withLabels(mine);
const envoyAt = (istiod: FakeIstiod, wait: WaitStrategy) => envoyContainer().withIstiod(istiod).withWaitStrategy(wait);
const cluster = (name: string) => ({ name, connect_timeout: '1s' });

describe('An Envoy in a container and a fake istiod in this process', () => {
  it('meet, and what Envoy does stands in the timeline', async () => {
    const istiod = await reachable();
    const envoy = kept(await envoyAt(istiod, forServerState('LIVE')).start());
    await expect(envoy).toHaveAcked('CDS', 'LDS');
    await expect(envoy).toHaveAcked(istiod.update({ set: { clusters: [cluster('new')] } }));
    expect(envoy.nodeId).toContain('sidecar~');
    await istiod.waitFor({ type: 'envoy.state-reached', state: 'LIVE' });
    expect(envoy.log.join('\n')).toContain('cm init');
  });

  it('meet over TLS, as a variant and a node of its own', async () => {
    const istiod = await reachable();
    const tls = { rootCert: await istiod.rootCertificate() };
    const container = new EnvoyContainer().withIstiod(istiod, { tls, variant: 'sotw', node: { name: 'boxed' } });
    kept(await container.withWaitStrategy(forServerState('LIVE')).start());
    await istiod.waitFor({ type: 'stream.opened', secure: true, variant: 'sotw' });
    await istiod.waitFor({ type: 'request.received', node: '*~boxed.*' });
  });

  it('can be awaited as stuck, and is not stuck once released', async () => {
    const istiod = await reachable();
    istiod.withhold('CDS');
    const envoy = kept(await envoyAt(istiod, forStuckIn('PRE_INITIALIZING', '1s')).start());
    await expect(envoy).toStayIn('PRE_INITIALIZING');
    istiod.release('CDS');
    await expect(envoy).toReachState('LIVE');
    const failure = await failureOf(envoyAt(istiod, forStuckIn('PRE_INITIALIZING', '5s')).start());
    expect(failure).toContain('Envoy was not stuck in PRE_INITIALIZING for 5 s');
  });

  it('fail with the end of the log and the last events of before the end, and leave nothing', async () => {
    const istiod = await reachable();
    istiod.withhold('CDS');
    const failure = await failureOf(envoyAt(istiod, forServerState('LIVE').withStartupTimeout(1_000)).start());
    expect(failure).toContain('did not come up: Envoy was not LIVE within 1 s: it is PRE_INITIALIZING');
    expect(failure).toMatch(/last lines of Envoy's log:\n.*\n[^]*last events:\n[^]*CDS withheld/);
    expect(failure).not.toMatch(/SIGTERM|closed by the client/);
    expect(await left()).toBe('');
  });
});

describe('An Envoy in a container that cannot start says', () => {
  it('why, in its own words', async () => {
    const failure = await failureOf(envoyContainer().withBootstrap({ nonsense: 1 }).start());
    expect(failure).toMatch(/did not come up: it exited with code 1: Protobuf message .*no such field: 'nonsense'/);
    expect(await left()).toBe('');
  });

  it('that its image is missing, and how to get it', async () => {
    const start = new EnvoyContainer('fake-istiod-test/nowhere:1').withBootstrap({}).start();
    await expect(start).rejects.toMatchObject({ code: 'image.not-found' });
    await expect(start).rejects.toThrow('docker pull fake-istiod-test/nowhere:1');
  });

  it('that a fake istiod on loopback is out of reach', async () => {
    const istiod = kept(await startFakeIstiod({ scenario: 'ready' }));
    await expect(new EnvoyContainer().withIstiod(istiod).start()).rejects.toThrow("startFakeIstiod({ bind: ['0.0.0.0'] })");
  });

  it('that it has no control plane', async () => {
    await expect(new EnvoyContainer().start()).rejects.toThrow('Call withIstiod(istiod), or withBootstrap(bootstrap)');
  });
});

describe('A fake istiod in a container', () => {
  it('meets an Envoy on the network of both, and is moved from here', async () => {
    const pair = kept(
      await startContainerPair({
        istiodImage: image,
        prepare: (istiod) => istiod.withhold('CDS'),
        waitStrategy: forStuckIn('PRE_INITIALIZING', '500ms'),
      }),
    );
    const { istiod, envoy } = pair;
    expect(await failureOf(expect(envoy).toReachState('LIVE', { timeoutMs: 200 }))).toMatch(/nearest: .*CDS withheld[^]*last events:/);
    await istiod.release('CDS');
    await expect(envoy).toReachState('LIVE');
    const push = await istiod.update({ set: { clusters: [cluster('new')] } });
    await expect(envoy).toHaveAcked(push);
    await istiod.publish({ listeners: [{ name: 'bad', address: { socket_address: { address: '127.0.0.1', port_value: 0 } } }] });
    await expect(envoy).toHaveNacked(/no filter chains/);
    await istiod.waitFor({ type: 'envoy.state-reached', state: 'LIVE' });
  });

  it('is reached by an Envoy that shares no network with it, over TLS with the authority of a folder of this machine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await openPki(folder, { create: true });
    const istiod = kept(await new FakeIstiodContainer(image).withPki(folder).withServeOptions('--no-auth').start());
    const rootCert = await istiod.rootCertificate();
    const container = new EnvoyContainer().withIstiod(istiod, { tls: { rootCert } }).withWaitStrategy(forServerState('LIVE'));
    kept(await container.start());
    await istiod.waitFor({ type: 'stream.opened', secure: true });
  });

  it('plays a scenario of a file, and says what is wrong with one', async () => {
    const istiod = kept(await new FakeIstiodContainer(image).withScenario('scenarios/withhold-first-cds.yaml').start());
    expect((await istiod.control.call('GET /state', {})).scenario).toBe('withhold-first-cds');
    const failure = await failureOf(new FakeIstiodContainer(image).withScenario('reddy').start());
    expect(failure).toMatch(/container of fake-istiod .* did not come up[^]*Did you mean ready\?/);
    expect(() => new FakeIstiodContainer(image).withScenario('./nowhere.yaml')).toThrow('there is no scenario file ./nowhere.yaml');
  });

  it('says how to get its image', async () => {
    await expect(new FakeIstiodContainer('fake-istiod-test:nowhere').start()).rejects.toThrow('npm run image');
  });
});

describe('The wait strategies refuse', () => {
  it.each([
    [() => forServerState('LIFE' as 'LIVE'), 'Did you mean "LIVE"?'],
    [() => forStuckIn('LIVE', '5 seconds'), "Give one such as '5s'"],
    [() => forStuckIn('LIVE', -1), 'which is no duration'],
  ])('what cannot be', (wrong, text) => {
    expect(wrong).toThrow(text);
  });
});
