import { describe, expect, it } from 'vitest';
import { FakeIstiodError } from '../../src/errors.ts';
import '../../src/testing/vitest.ts';
import { belongsTo } from '../../src/testing/index.ts';
import { envoyIn, failureOf, Witness } from './witness.ts';

/** An Envoy with node id `a`, and its fake istiod. */
function pair(): { readonly envoy: ReturnType<typeof envoyIn>; readonly witness: Witness } {
  const [envoy, witness] = [envoyIn('LIVE'), new Witness()];
  belongsTo(envoy, witness);
  return { envoy, witness };
}

const pushThat = (outcome: FakeIstiodError | undefined) => ({
  told: [] as unknown[],
  acked(options: unknown) {
    this.told.push(options);
    return outcome ? Promise.reject(outcome) : Promise.resolve();
  },
});

describe('toHaveAcked', () => {
  it('holds when the newest response of each type is accepted, before the call or soon after', async () => {
    const { envoy, witness } = pair();
    witness.asked('CDS').sent('CDS', '1').acked('CDS', '1').asked('LDS').sent('LDS', '1');
    await expect(envoy).toHaveAcked('CDS');
    const wait = expect(envoy).toHaveAcked('CDS', 'listeners');
    witness.acked('LDS', '1');
    await wait;
  });

  it('fails with what each type waits for, and the nearest event', async () => {
    const { envoy, witness } = pair();
    witness.asked('CDS').sent('CDS', '1').asked('EDS').withheld('EDS');
    const failure = await failureOf(expect(envoy).toHaveAcked('CDS', 'EDS', 'LDS', { timeoutMs: 100, clock: witness.clock }));
    expect(failure).toMatch(
      /^expected a to have ACKed CDS, EDS, LDS within 100 ms, but CDS was sent and not answered yet; EDS is withheld; LDS was not asked for\n/,
    );
    expect(failure).toContain("Envoy's /ready says 200 LIVE\nnearest:   0.000  ⏸  EDS withheld [stream 1]\nlast events:");
  });

  it('ends at once with the text of a NACK', async () => {
    const { envoy, witness } = pair();
    const wait = failureOf(expect(envoy).toHaveAcked('CDS', { timeoutMs: 100_000 }));
    witness.asked('CDS').sent('CDS', '1').nacked('CDS', '1', 'no such thing');
    expect(await wait).toContain('but it NACKed CDS: no such thing');
  });

  it('of a fake istiod means every client, or the one that is named', async () => {
    const witness = new Witness().asked('CDS').sent('CDS', '1').acked('CDS', '1').asked('CDS', { node: 'b', stream: 2 });
    await expect(witness).toHaveAcked('CDS', { node: 'a' });
    const failure = await failureOf(expect(witness).toHaveAcked('CDS', { timeoutMs: 0 }));
    expect(failure).toContain('expected every client to have ACKed CDS, but b: CDS was asked for and not sent yet');
    expect(await failureOf(expect(new Witness()).toHaveAcked('CDS', { timeoutMs: 0 }))).toContain('no client has connected');
  });

  it('asks a push about the Envoy, and tells its reason without repeating the timeline', async () => {
    const { envoy, witness } = pair();
    const good = pushThat(undefined);
    await expect(envoy).toHaveAcked(good, { timeoutMs: 7 });
    expect(good.told).toEqual([{ node: 'a', timeoutMs: 7 }]);
    await expect(witness).toHaveAcked(good);
    expect(good.told[1]).toEqual({ timeoutMs: 4_000 });
    const late = pushThat(
      new FakeIstiodError('wait.timed-out', 'push not acknowledged within 4 s: a CDS: withheld; release it\nlast events:\n  x'),
    );
    const failure = await failureOf(expect(envoy).toHaveAcked(late));
    expect(failure).toMatch(/^expected a to have ACKed the push within 4 s, but a CDS: withheld; release it\n/);
    expect(failure.match(/nothing has happened yet/g)).toHaveLength(1);
    await expect(envoy).not.toHaveAcked(late);
    const stopped = pushThat(new FakeIstiodError('istiod.stopped', 'stopped'));
    expect(await failureOf(expect(envoy).not.toHaveAcked(stopped))).toBe('stopped');
  });

  it('under .not tells how things stand, without a wait', async () => {
    const { envoy, witness } = pair();
    await expect(envoy).not.toHaveAcked('CDS');
    witness.asked('CDS').sent('CDS', '1').acked('CDS', '1');
    expect(await failureOf(expect(envoy).not.toHaveAcked('CDS'))).toContain('expected a not to have ACKed CDS, but it did');
  });

  it.each<[string, () => Promise<void>, string]>([
    ['a word that is no type', () => expect(new Witness()).toHaveAcked('CSD'), '"CSD" is no resource type'],
    ['nothing to wait for', () => expect(new Witness()).toHaveAcked(undefined as never), 'toHaveAcked was not told what'],
    ['an Envoy of nobody', () => expect(envoyIn('LIVE')).toHaveAcked('CDS'), 'belongsTo(envoy, istiod)'],
  ])('refuses %s', async (_, expectation, text) => {
    expect(await failureOf(expectation())).toContain(text);
  });
});

describe('toHaveNacked', () => {
  const nacking = (): Witness => new Witness().asked('LDS').sent('LDS', '1').nacked('LDS', '1', "unknown cluster 'a.b'");

  it('holds for a NACK that came before, by expression, by text, by type, or by nothing', async () => {
    for (const text of [/unknown cluster/, "cluster 'a.b'", undefined]) await expect(nacking()).toHaveNacked(text);
    await expect(nacking()).toHaveNacked(/unknown/, { type: 'LDS', node: 'a' });
  });

  it('waits for one', async () => {
    const { envoy, witness } = pair();
    const wait = expect(envoy).toHaveNacked(/bad/);
    witness.nacked('CDS', '1', 'bad');
    await wait;
  });

  it('fails with the nearest NACK, or with none', async () => {
    const failure = await failureOf(expect(nacking()).toHaveNacked('unknown.cluster', { timeoutMs: 0 }));
    expect(failure).toMatch(
      /^expected a client to have NACKed anything with "unknown.cluster", but the nearest NACK is of LDS: unknown cluster 'a.b'\n/,
    );
    expect(await failureOf(expect(nacking()).toHaveNacked(/./, { type: 'CDS', timeoutMs: 0 }))).toContain('to have NACKed CDS with /./');
    expect(await failureOf(expect(new Witness()).toHaveNacked(/./, { timeoutMs: 0 }))).toContain('but nothing was NACKed');
  });

  it('under .not tells how things stand', async () => {
    await expect(new Witness()).not.toHaveNacked();
    await expect(nacking()).not.toHaveNacked(/other/);
    expect(await failureOf(expect(nacking()).not.toHaveNacked(/unknown/))).toContain("but it did: unknown cluster 'a.b'");
  });

  it('refuses options in the place of the text', async () => {
    expect(await failureOf(expect(nacking()).toHaveNacked({ type: 'LDS' } as never))).toContain('toHaveNacked was given object');
  });
});

describe('toBeEvent', () => {
  it('works by itself and inside other expectations', () => {
    const { timeline } = new Witness().asked('CDS').withheld('CDS');
    expect(timeline.events[1]).toBeEvent({ event: 'response.withheld', type: 'CDS' });
    expect(timeline.events).toContainEqual(expect.toBeEvent({ type: 'response.withheld', node: 'a' }));
    expect(timeline.events).not.toContainEqual(expect.toBeEvent({ type: 'response.nacked' }));
    expect(timeline.events[0]).not.toBeEvent({ event: 'response.withheld' });
  });

  it('says which event it is instead, and how it differs', () => {
    const { timeline } = new Witness().withheld('CDS');
    expect(() => expect(timeline.events[0]).toBeEvent({ event: 'response.withheld', type: 'LDS' })).toThrow(
      'expected response.withheld with type LDS, but it is: 0.000  ⏸  CDS withheld [stream 1]\ntype is CDS, not LDS',
    );
    expect(() => expect(3).toBeEvent({ event: 'response.acked' })).toThrow('but it is: no event of a timeline');
  });
});
