import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/script/load.ts';
import { mutatedScenario } from '../../src/script/mutation.ts';
import { packageRoot } from '../../src/protobuf/package-root.ts';

const folder = join(packageRoot(), 'docker/scenarios');
const names = ['plain', 'tls', 'broken-network'];
const compose = readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8');
const relay = readFileSync(join(packageRoot(), 'docker/programs/network.mjs'), 'utf8');

describe('a scenario of docker-compose.yml', () => {
  it.each(names)('%s can be read, broken by its own mutation, and is the default of a profile', async (name) => {
    const file = join(folder, `${name}.yaml`);
    expect((await loadScenario(file)).expectations.length).toBeGreaterThan(5);
    expect((await loadScenario(file)).mutation).toBeDefined();
    expect((await mutatedScenario(file)).name).toBe(name);
    expect(compose).toContain(`\${SCENARIO:-${name}}`);
  });

  it('moves the network by the moments that the relay goes by', async () => {
    const { steps } = await loadScenario(join(folder, 'broken-network.yaml'));
    const moments = steps.map(({ name }) => name).filter((name) => name.startsWith('network-'));
    expect(moments).toEqual(['network-silent', 'network-up']);
    for (const moment of moments) expect(relay).toContain(`'${moment}'`);
  });
});
