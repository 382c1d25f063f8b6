import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestText } from '../sidecar/manifest-text.ts';
import { cli } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const mesh = 'defaultConfig: { discoveryAddress: "istiod.istio-system.svc:15012" }\nrootNamespace: istio-system\n';
const files = {
  'm.yaml': manifestText(),
  'west.yaml': manifestText().replace('value: east', 'value: west'),
  'mesh.yaml': mesh,
  'mixed.yaml': `${manifestText()}---\na: [1\n`,
  'node.json': '{"node":{"id":"sidecar~10.0.0.7~a.b~c","metadata":{"CLUSTER_ID":"east"}}}',
};

const inFolder = (...words: readonly string[]): { readonly folder: string; readonly argv: string[] } => {
  const folder = workFolder(files);
  return { folder, argv: ['inspect', ...words.map((word) => (word in files || word === 'lab' ? join(folder, word) : word))] };
};
const run = async (...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> => cli(inFolder(...words).argv);

describe('`inspect`', () => {
  it('shows a workload section by section', async () => {
    const { code, stdout, stderr } = await run('m.yaml', '--mesh-config', 'mesh.yaml');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const line of [
      /^Deployment shop\/payments {2}\(/m,
      /^ {4}--domain \$\(POD_NAMESPACE\)\.svc\.cluster\.local$/m,
      /^ {4}POD_NAMESPACE +fieldRef:metadata\.namespace$/m,
      /^ {4}CLUSTER_ID +east$/m,
      /^ {4}token +volume istio-token, audience istio-ca, 43200 s, at \/var\/run\/secrets\/tokens\/istio-token$/m,
      /^ {4}readiness +GET :15021\/healthz\/ready, every 15s$/m,
      /^ {4}CA_ADDR +istiod\.istio-system\.svc:15012 +the same$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
  });

  it('gives a program JSON', async () => {
    const { code, stdout } = await run('m.yaml', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      workloads: [{ name: 'payments', role: 'sidecar', metadata: { CLUSTER_ID: 'east' }, identity: { token: { audience: 'istio-ca' } } }],
      problems: [],
    });
  });

  it('shows what can be read, says what can not, and ends with 2', async () => {
    const { code, stdout, stderr } = await run('mixed.yaml');
    expect(code).toBe(2);
    expect(stdout).toMatch(/^Deployment shop\/payments/);
    expect(stderr).toMatch(/^fake-istiod: .*mixed\.yaml:\d+:1: not valid YAML.*\n$/);
  });

  it('reads from stdin', async () => {
    const { code, stdout } = await cli(['inspect', '-', '--json'], { stdin: manifestText() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ file: '<stdin>', workloads: [{ name: 'payments' }] });
  });

  it('shows a mesh config alone', async () => {
    const { code, stdout } = await run('mesh.yaml');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mesh config .*mesh\.yaml {2}\(mesh-config\)\n {2}discovery address +istiod\.istio-system\.svc:15012/);
  });

  it('calls a bootstrap a bootstrap', async () => {
    const { code, stderr } = await run('node.json');
    expect(code).toBe(2);
    expect(stderr).toContain('is the bootstrap of an Envoy (node sidecar~10.0.0.7~a.b~c), not a manifest. `fake-istiod check FILE`');
  });

  it("writes the lab's files, and never over somebody's work", async () => {
    const { folder, argv } = inFolder('m.yaml', '--mesh-config', 'mesh.yaml', '--lab', 'lab');
    expect(await cli(argv)).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(join(folder, 'lab', '03-mesh.txt'), 'utf8')).toContain('ca_addr_same=yes\n');
    expect(await cli(argv)).toMatchObject({ code: 0 });
    const other = ['inspect', join(folder, 'west.yaml'), '--lab', join(folder, 'lab')];
    expect(await cli(other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has 02-env.txt already, with other content') as string,
    });
    expect(await cli([...other, '--force'])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'lab', '02-env.txt'), 'utf8')).toContain('ISTIO_META_CLUSTER_ID=west\n');
  });

  it.each([
    ['another cluster', 'west.yaml', 0, 'CLUSTER_ID differs (east, west)'],
    ['the same', 'm.yaml', 1, 'CLUSTER_ID is the same, east'],
    ['a bootstrap', 'node.json', 1, 'node sidecar~10.0.0.7~a.b~c'],
  ])('compares clusters with %s', async (_, other, exit, words) => {
    const { code, stdout } = await run('m.yaml', '--against', other);
    expect(code).toBe(exit);
    expect(stdout).toContain(words);
  });

  it.each([
    [['--force'], '--force goes with --lab'],
    [['--lab', 'x', '--json'], '--lab writes files and has no JSON'],
    [['--lab', 'x', '--against', 'm.yaml'], '--lab and --against exclude each other'],
    [['--workload', 'paymets'], 'has no workload "paymets". Did you mean "payments"?'],
    [['--max-input', '10'], 'more than the limit of 10'],
  ])('refuses %j', async (words, text) => {
    const { code, stderr } = await run('m.yaml', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});
