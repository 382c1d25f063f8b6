import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import { advance, newCursor } from '../../src/script/cursor.ts';
import { loadScenario } from '../../src/script/load.ts';
import { mutatedScenario } from '../../src/script/mutation.ts';
import { findScenario, packagedScenarios } from '../../src/script/packaged.ts';

const packaged = await packagedScenarios();

describe('the packaged scenarios', () => {
  it('are those of the docs, by name', () => {
    expect(packaged.map(({ name }) => name)).toEqual([
      'ads-refuses-ca-fine',
      'alpn-http1',
      'audience-heals-after-3',
      'ca-refuses-ads-fine',
      'client-cert-demanded',
      'cluster-on-demand',
      'data-for-agents',
      'distinct-cluster-id',
      'empty-config',
      'expired-token-on-reconnect',
      'false-live',
      'handover',
      'identity-mismatch',
      'istiod-down',
      'lost-after-live',
      'malformed-node',
      'missing-node',
      'mtls-ready',
      'nack-everything-yet-live',
      'nack-then-fix',
      'never-ready',
      'no-alpn',
      'no-token',
      'node-words',
      'not-ready-yet',
      'rate-limited',
      'ready',
      'reject-audience',
      'root-rotated',
      'same-cluster-id',
      'scoped-routes',
      'server-cert-expired',
      'server-cert-runs-out',
      'server-cert-unknown-ca',
      'server-cert-wrong-san',
      'silent-port',
      'slow-cds',
      'stream-reset',
      'ttl-runs-out',
      'twenty-services',
      'two-networks',
      'unknown-cluster-id',
      'unknown-endpoints',
      'virtual-host-on-demand',
      'withhold-cluster-sds',
      'withhold-ecds',
      'withhold-eds',
      'withhold-first-cds',
      'withhold-first-lds',
      'withhold-listener-sds',
      'withhold-rds',
      'withhold-rtds',
      'wrong-cluster-name',
    ]);
  });

  it.each(packaged)('$name has a title, a reason, tags, expectations, a bound, and the line for editors', async ({ file, title, tags }) => {
    const { about, expectations, timeoutMs, envoy } = await loadScenario(file);
    expect(title.length).toBeGreaterThan(10);
    expect(about.length).toBeGreaterThan(100);
    expect(tags.length).toBeGreaterThan(1);
    expect(expectations.length).toBeGreaterThan(3);
    expect(timeoutMs).toBeLessThanOrEqual(15_000);
    // On demand is delta's alone: SotW has no word for it.
    expect(envoy.variants).toEqual(tags.includes('on-demand') ? ['delta'] : ['sotw', 'delta']);
    expect(readFileSync(file, 'utf8')).toMatch(/^# yaml-language-server: \$schema=scenario\.schema\.json\n/);
  });

  it.each(packaged)('$name says what must make it fail, and that is still a scenario', async ({ file }) => {
    const plain = await loadScenario(file);
    const mutated = await mutatedScenario(file);
    expect(plain.mutation?.what).toMatch(/^[a-z]/i);
    const { mutation: _, ...rest } = plain;
    expect(mutated).not.toEqual(rest);
  });
});

describe('the script of withhold-first-cds', () => {
  it('releases CDS 700 ms after the first request, without any Envoy', async () => {
    const { steps, withhold } = await loadScenario(await findScenario('withhold-first-cds'));
    expect(withhold).toEqual([{ typeUrl: TypeUrl.cluster }]);
    const request = { event: 'request.received', typeUrl: TypeUrl.cluster };
    const asked = advance(newCursor(steps, 0), request, 100);
    expect(asked.fired.map(({ name }) => name)).toEqual(['asked']);
    expect(asked.wakeAtMs).toBe(800);
    expect(advance(asked.cursor, { kind: 'tick' }, 800).fired.map(({ commands }) => commands)).toEqual([
      [{ kind: 'release', rules: withhold }],
    ]);
  });
});

describe('a scenario is found', () => {
  it('by its path, else by its name', async () => {
    const byName = await findScenario('ready');
    expect(byName).toMatch(/scenarios\/ready\.yaml$/);
    expect(await findScenario(byName)).toBe(byName);
  });

  it('never outside the package by a name with a path in it', async () => {
    await expect(findScenario('../scenarios/ready')).rejects.toMatchObject({ code: 'scenario.not-found' });
  });

  it('or the nearest name is told', async () => {
    await expect(findScenario('withold-first-cds')).rejects.toThrow(
      'there is no file withold-first-cds, and no packaged scenario of that name. Did you mean withhold-first-cds? fake-istiod scenarios lists them all',
    );
    await expect(findScenario('labs/withhold-first-csd.yml')).rejects.toThrow('Did you mean withhold-first-cds?');
    await expect(findScenario('zebra')).rejects.toThrow('fake-istiod scenarios lists the packaged ones');
  });
});
