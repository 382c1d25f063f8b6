import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cli } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const mesh = `title: a mesh
services:
  - { name: hello, ports: [80], endpoints: [{ address: 10.0.0.1, cluster: east }, { address: 10.0.0.9, cluster: west }] }
nodes:
  - { match: { locality: { region: eu } }, serve: { listeners: [] } }
`;

async function expanded(...words: readonly string[]): Promise<Record<string, readonly { readonly name: string }[]>> {
  const folder = workFolder({ 'mesh.yaml': mesh });
  const { code, stdout, stderr } = await cli(['expand', `${folder}/mesh.yaml`, ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parse(stdout) as Record<string, readonly { readonly name: string }[]>;
}

describe('`expand`', () => {
  it('prints what a proxy is served, in push order, so that it can be served again', async () => {
    const shown = await expanded();
    expect(Object.keys(shown)).toEqual(['clusters', 'endpoints', 'listeners', 'routes']);
    expect(shown['clusters']?.map(({ name }) => name)).toContain('outbound|80||hello.default.svc.cluster.local');
  });

  it('prints it for the proxy that is described', async () => {
    const inbound = async (...words: readonly string[]): Promise<unknown> =>
      (await expanded('--type', 'CDS', ...words))['clusters']?.map(({ name }) => name).filter((name) => name.startsWith('inbound'));
    expect(await inbound('--metadata', 'CLUSTER_ID=east', 'INSTANCE_IPS=10.0.0.1')).toEqual(['inbound|80||']);
    expect(await inbound('--metadata', 'CLUSTER_ID=west', 'INSTANCE_IPS=10.0.0.1')).toEqual([]);
    expect(await inbound('--metadata', 'CLUSTER_ID=east', '--node-id', 'sidecar~10.0.0.1~a.b~c')).toEqual(['inbound|80||']);
    expect(await expanded('--locality', 'eu/w1', '--type', 'LDS')).toEqual({ listeners: [] });
  });

  it('tells a wrong type and a wrong word of metadata', async () => {
    for (const words of [
      ['--type', 'XX'],
      ['--metadata', 'XX'],
    ]) {
      const { code, stderr } = await cli(['expand', 'ready', ...words]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^fake-istiod: --\w+: "XX" /)]);
    }
  });
});
