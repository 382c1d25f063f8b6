import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { cli } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

describe('bootstrap', () => {
  it('prints JSON that points at 15012 of this machine', async () => {
    const { code, stdout, stderr } = await cli(['bootstrap']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ dynamic_resources: { ads_config: { api_type: 'DELTA_GRPC' } } });
    expect(stdout).toContain('"port_value": 15012');
  });

  it('prints the same as YAML', async () => {
    const yaml: unknown = parse((await cli(['bootstrap', '--format', 'yaml'])).stdout);
    expect(yaml).toEqual(JSON.parse((await cli(['bootstrap'])).stdout));
  });

  it('takes variant, address, node id and admin port', async () => {
    const { stdout } = await cli('bootstrap --variant sotw --xds [::1]:15010 --node-id router~1.2.3.4~a.b~c --admin-port 15000'.split(' '));
    expect(JSON.parse(stdout)).toMatchObject({
      node: { id: 'router~1.2.3.4~a.b~c' },
      admin: { address: { socket_address: { port_value: 15_000 } } },
      dynamic_resources: { ads_config: { api_type: 'GRPC' } },
    });
    expect(stdout).toContain('"address": "::1"');
  });

  it('has the admin port of the lesson in its shape', async () => {
    expect(JSON.parse((await cli(['bootstrap', '--shape', 'lesson'])).stdout)).toMatchObject({
      admin: { address: { socket_address: { port_value: 9982 } } },
    });
  });

  it('writes a file in the form of its ending and says how to go on', async () => {
    const file = join(workFolder(), 'envoy.yaml');
    expect(await cli(['bootstrap', '-o', file])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${file} written (admin on 127.0.0.1:15000); start Envoy with: envoy -c ${file}\n`,
    });
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({ node: { cluster: 'payments.default' } });
  });

  it('says who can write the bootstrap of an Envoy that has a token of its server', async () => {
    const { code, stderr } = await cli(['bootstrap', 'no-alpn']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^fake-istiod: the Envoy of no-alpn has certificates or tokens of its server, and none runs here\. Let the server write the bootstrap: fake-istiod serve \S*no-alpn\S* --bootstrap-out envoy\.json\n$/,
    );
  });

  it('says that a file cannot be written', async () => {
    const file = join(workFolder(), 'no/such/folder/envoy.json');
    const { code, stderr } = await cli(['bootstrap', '-o', file]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `fake-istiod: ${file} cannot be written: ENOENT: no such file or directory. Name a file in a folder that you may write to\n`,
    );
  });
});
