import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { labFiles } from '../../src/lab/lab-file.ts';
import { cli, fakeTerminal, type Outcome } from '../cli/fake-terminal.ts';
import { workFolder } from '../cli/work-folder.ts';
import { manifestText } from '../sidecar/manifest-text.ts';
import { wantedEnvoy } from './real-envoy.ts';

const lab = (...words: readonly string[]): Promise<Outcome> => cli(['lab', ...words, '--envoy', wantedEnvoy], { env: process.env });
const newFolder = (): string => join(workFolder(), 'lab');
const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');
const isLive = /The Envoy that said 503 PRE_INITIALIZING is LIVE: nothing of it was changed, only istiod came\. 8 expectations met\.\n$/;

describe('`lab`', () => {
  it.each(['sotw', 'delta'])(
    'makes every file out of a real Envoy, makes the same Envoy LIVE, and passes its own check (%s)',
    async (variant) => {
      const folder = newFolder();
      const { code, stdout, stderr } = await lab(folder, '--variant', variant);
      expect({ code, stderr: stderr.replace(/^Envoy \S+ \(.*\)\n/, '') }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(isLive);
      expect(readdirSync(folder).sort()).toEqual(Object.keys(labFiles).sort());
      expect(read(folder, 'bootstrap.yaml')).toContain(`api_type: ${variant === 'delta' ? 'DELTA_GRPC' : 'GRPC'}\n`);
      expect(read(folder, '04-validate.txt')).toMatch(/^configuration 'bootstrap\.yaml' OK\nrc=0\n$/m);
      expect(read(folder, '05-typo.txt')).toMatch(/'boot-typo\.yaml'.*Unknown gRPC client cluster 'istiod-xds'[^]*\nrc=1\n$/);
      expect(read(folder, '06-ready.txt')).toBe('ready_code=503\nready_body=PRE_INITIALIZING\nconnected_state=0\n');
      expect(JSON.parse(read(folder, '06-node.json'))).toEqual({
        id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
        cluster: 'payments.default',
        metadata: { CLUSTER_ID: 'Kubernetes', MESH_ID: 'cluster.local', NAMESPACE: 'default', WORKLOAD_NAME: 'payments' },
      });
      expect(await cli(['lab', '--check', folder])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/57 of 57 lines are right/) as string,
      });
    },
  );

  it('changes nothing when it is run again', async () => {
    const folder = newFolder();
    await lab(folder);
    const before = Object.keys(labFiles).map((file) => read(folder, file));
    const { code, stdout, stderr } = await lab(folder);
    expect(code).toBe(0);
    expect(stdout.match(/; the same is there already$/gm)).toHaveLength(Object.keys(labFiles).length);
    expect(stderr).not.toContain('Kept');
    expect(Object.keys(labFiles).map((file) => read(folder, file))).toEqual(before);
  });

  it("leaves a student's files as they are, says so, and goes on with them; --force overwrites", async () => {
    const folder = newFolder();
    await lab(folder);
    writeFileSync(join(folder, '01-args.txt'), 'role=gateway\n');
    rmSync(join(folder, '06-node.json'));
    writeFileSync(join(folder, 'bootstrap.yaml'), read(folder, 'bootstrap.yaml').replace('10.0.0.7', '10.0.0.8'));
    const kept = await lab(folder);
    expect(kept.code).toBe(0);
    expect(kept.stderr).toContain('Kept as they were: 01-args.txt, bootstrap.yaml, boot-typo.yaml. --force overwrites them');
    expect(read(folder, '01-args.txt')).toBe('role=gateway\n');
    expect(read(folder, '06-node.json')).toContain('10.0.0.8');
    expect(await cli(['lab', '--check', folder])).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ role') as string });
    const forced = await lab(folder, '--force');
    expect(forced.stderr).not.toContain('Kept');
    expect(await cli(['lab', '--check', folder])).toMatchObject({ code: 0 });
  });

  it("shows what Envoy says of a student's bootstrap that it refuses, and ends with 1", async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'bootstrap.yaml'), 'static_resources: { clusters: [{ nam: x }] }\n');
    const { code, stdout, stderr } = await lab(folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/04-validate\.txt +Envoy refuses it: .*no such field.*nam/);
    expect(stderr).toMatch(/^fake-istiod: Envoy refuses .*bootstrap\.yaml: .*no such field/m);
    expect(read(folder, '04-validate.txt')).toMatch(/\nrc=1\n$/);
    expect(readdirSync(folder)).not.toContain('06-ready.txt');
  });

  it('is about given files as well, and asks for the mesh config', async () => {
    const inputs = workFolder({
      'm.yaml': manifestText({ audience: 'lab' }),
      'mesh.json': '{"defaultConfig":{"discoveryAddress":"istiod-canary.mesh.svc:15012"}}',
    });
    const [folder, manifest, mesh] = [newFolder(), join(inputs, 'm.yaml'), join(inputs, 'mesh.json')];
    expect(await lab(folder, '--manifest', manifest)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Give it with --mesh-config') as string,
    });
    const { code, stdout } = await lab(
      folder,
      '--manifest',
      manifest,
      '--mesh-config',
      mesh,
      '--pod-ip',
      'fd00::7',
      '--pod-name',
      'payments-a-b',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      lonely: { readyCode: 503, node: { id: 'sidecar~fd00::7~payments-a-b.shop~shop.svc.cluster.local' } },
    });
    expect(read(folder, '03-mesh.txt')).toContain('discovery_address=istiod-canary.mesh.svc:15012\n');
    expect(read(folder, '03-mesh.txt')).toContain('ca_addr_same=no\n');
    expect(read(folder, 'inject.yaml')).toBe(manifestText({ audience: 'lab' }));
    expect(await cli(['lab', '--check', folder])).toMatchObject({ code: 0 });
    const other = await lab(folder, '--manifest', join(inputs, 'm.yaml'), '--mesh-config', join(inputs, 'm.yaml'));
    expect(other).toMatchObject({ code: 2 });
    writeFileSync(manifest, manifestText());
    expect(await lab(folder, '--manifest', manifest, '--mesh-config', mesh)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('inject.yaml is there already, and is something else than') as string,
    });
  });

  it('fails where the same Envoy cannot become LIVE, and says by what', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port)),
    );
    const { code, stderr } = await lab(newFolder(), '--port', String(port));
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^fake-istiod: .*${port}`, 'm'));
  });

  it('is called off by Ctrl-C, and leaves no Envoy behind', async () => {
    const terminal = fakeTerminal({ env: process.env });
    const ended = runCommandLine(['lab', newFolder(), '--envoy', wantedEnvoy], terminal);
    await terminal.until('Envoy 1.');
    await terminal.until('Where the lab had to stop');
    terminal.interrupt();
    expect(await ended).toBe(130);
    const pid = Number(/\(process (\d+)\)/.exec(terminal.written.stdout)?.[1]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
