import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../cli/fake-terminal.ts';
import { workFolder } from '../cli/work-folder.ts';
import { gradeLab } from '../../src/lab/grade-lab.ts';
import type { LabGrade } from '../../src/lab/grade-lab.ts';
import { gradeText } from '../../src/lab/grade-text.ts';
import { palette } from '../../src/runner/colour.ts';
import { brokenFolders } from './broken-folders.ts';
import { rightFiles, studentFolderWith, type Edits } from './student.ts';

/* Golden texts: what a student reads. After a wanted change: UPDATE_GOLDEN=1 npx vitest run --project unit test/lab, and read the diff. */
const golden = join(import.meta.dirname, 'golden');
const update = process.env['UPDATE_GOLDEN'] === '1';
const maxInputBytes = 30_000;

const grade = (edits: Edits = {}, more: Readonly<Record<string, string>> = {}): LabGrade =>
  gradeLab(studentFolderWith(edits, more), { maxInputBytes });

/** Without what is right, and without the folder of this run. */
function faults({ files, ...rest }: LabGrade): string {
  const wrong = files
    .filter(({ status }) => status !== 'right')
    .map((file) => ({ ...file, lines: file.lines.filter(({ status }) => status !== 'right') }));
  return `${gradeText({ ...rest, dir: 'lab', files: wrong }, palette(false))
    .split('\n\n')
    .slice(1, -1)
    .join('\n\n')}\n`;
}

describe('`lab --check`', () => {
  it('finds nothing in a folder where all is right', () => {
    const { ok, files, workload, meshConfig } = grade();
    expect({ ok, workload, meshConfig }).toEqual({ ok: true, workload: 'Deployment default/payments', meshConfig: 'mesh-config.yaml' });
    expect(files.flatMap(({ lines }) => lines).filter(({ status }) => status !== 'right')).toEqual([]);
  });

  it.each(Object.entries(brokenFolders))('tells %s line by line, with hints and without the answer', (name, edits) => {
    const result = grade(edits);
    expect(result.ok).toBe(false);
    const [text, file] = [faults(result), join(golden, `${name}.txt`)];
    if (update) mkdirSync(golden, { recursive: true });
    if (update) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it('has no golden text that nothing makes', () => {
    const known = new Set(Object.keys(brokenFolders).map((name) => `${name}.txt`));
    const stale = readdirSync(golden).filter((name) => !known.has(name));
    if (update) for (const name of stale) rmSync(join(golden, name));
    expect(update ? [] : stale).toEqual([]);
  });

  it.each([
    [
      'other line ends, blanks at the end, a byte order mark',
      { '01-args.txt': (text: string) => `\ufeff${text.replaceAll('\n', '  \r\n')}` },
    ],
    [
      'no line end at the end, blank lines, comments, another order',
      { '06-ready.txt': '# mine\nconnected_state=0\n\nready_body=PRE_INITIALIZING\nready_code=503' },
    ],
    [
      'a bootstrap in JSON and camel case',
      {
        'bootstrap.yaml': camelJson(),
        'boot-typo.yaml': camelJson().replace('"clusterName":"xds-grpc"}}', '"clusterName":"istiod-xds"}}'),
      },
    ],
    ['another pod and IP in the node id', { 'bootstrap.yaml': otherPod, 'boot-typo.yaml': otherPod, '06-node.json': otherPod }],
    [
      'the words of an older Envoy',
      {
        '05-typo.txt':
          "error initializing configuration 'boot-typo.yaml': envoy::config::core::v3::ApiConfigSource must have a statically defined non-EDS cluster: 'istiod-xds' does not exist, was added via api, or is an EDS cluster\nrc=1\n",
      },
    ],
    [
      'a name of another spelling in the wrong place',
      {
        'boot-typo.yaml': (text: string) => text.replace('istiod-xds', 'xds_grpc'),
        '05-typo.txt': (text: string) => text.replace('istiod-xds', 'xds_grpc'),
      },
    ],
    [
      'prose around the report',
      { '08-report.md': (text: string) => `# Report\n\nWhat I saw:\n\n\`\`\`\n${text.replace('\n- ', '\n```\n\n- ')}\nThe end.\n` },
    ],
    [
      'a report in another language',
      {
        '08-report.md': (text: string) =>
          text.replace('- no certificate because the audience is another one', '- 인증서가 없으면 토큰의 대상이 다르다'),
      },
    ],
    ['the state instead of the code', { '08-report.md': (text: string) => text.replace('istiod=503', 'istiod=PRE_INITIALIZING') }],
  ] satisfies readonly (readonly [string, Edits])[])('takes %s', (_, edits) => {
    expect(faults(grade(edits))).toBe('\n');
  });

  it('takes a mesh config of any name, or what the manifest and the defaults say', () => {
    const mesh = rightFiles['mesh-config.yaml'];
    const other = mesh.replace('istiod.istio-system', 'istiod.mesh');
    expect(grade({ 'mesh-config.yaml': undefined }, { 'from-the-cluster.yml': mesh })).toMatchObject({
      ok: true,
      meshConfig: 'from-the-cluster.yml',
    });
    expect(grade({ 'mesh-config.yaml': undefined }, { 'meshconfig.yaml': other }).ok).toBe(false);
    const without = grade({ 'mesh-config.yaml': undefined });
    expect(without.ok).toBe(true);
    expect(without.meshConfig).toBeUndefined();
    expect(faults(grade({ 'mesh-config.yaml': undefined, '03-mesh.txt': (text) => text.replace('=istio-system', '=mesh') }))).toContain(
      'There is no mesh config in the folder',
    );
  });

  it('judges against the manifest in the folder, not against the example', () => {
    const orders = (text: string): string => text.replaceAll('payments', 'orders').replaceAll('istio-ca\n', 'lab-istiod\n');
    const edits = Object.fromEntries(Object.keys(rightFiles).map((name) => [name, orders])) as Edits;
    const changing = Object.fromEntries(
      Object.entries(edits).filter(([name]) => orders(rightFiles[name as never]) !== rightFiles[name as never]),
    ) as Edits;
    expect(faults(grade(changing))).toBe('\n');
    expect(grade({ ...changing, '07-identity.txt': rightFiles['07-identity.txt'] }).ok).toBe(false);
  });

  it('picks of several workloads the one that the files are about', () => {
    const other = rightFiles['inject.yaml'].replaceAll('payments', 'orders');
    expect(grade({ 'inject.yaml': (text) => `${other}\n${text}` })).toMatchObject({ ok: true, workload: 'Deployment default/payments' });
    const folder = studentFolderWith({ 'inject.yaml': (text) => `${other}\n${text}` });
    expect(gradeLab(folder, { maxInputBytes, workload: 'orders' }).ok).toBe(false);
  });

  it('takes manifest and mesh config from elsewhere', () => {
    const folder = studentFolderWith({ 'inject.yaml': undefined, 'mesh-config.yaml': undefined });
    const inputs = workFolder({ 'a.yaml': rightFiles['inject.yaml'], 'b.yaml': rightFiles['mesh-config.yaml'] });
    const options = { maxInputBytes, manifest: join(inputs, 'a.yaml'), meshConfig: join(inputs, 'b.yaml') };
    expect(gradeLab(folder, options).ok).toBe(true);
    expect(() => gradeLab(folder, { ...options, manifest: join(inputs, 'c.yaml') })).toThrow(/c\.yaml: no such file/);
  });
});

describe('`lab --check` as a command', () => {
  it('exits 0 or 1, with JSON for a program', async () => {
    const right = await cli(['lab', '--check', studentFolderWith()]);
    expect(right).toMatchObject({ code: 0, stderr: '' });
    expect(right.stdout).toMatch(/\n\n56 of 56 lines are right\.\n$/);
    const { code, stdout } = await cli(['lab', '--check', studentFolderWith({ '06-ready.txt': 'ready_code=200\n' }), '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, lines: { all: 56, right: 53, wrong: 1, missing: 2, unjudged: 0 } });
  });

  it.each([
    ['a folder that is not there', () => join(workFolder(), 'nope'), /nope: no such folder\. `fake-istiod lab .*` makes one/],
    ['a file', () => join(workFolder({ 'a.txt': '' }), 'a.txt'), /a\.txt: is no folder/],
    [
      'a folder without anything of the lab',
      () => workFolder({ 'inject.yaml': 'a: 1' }),
      /holds none of the lab's files \(01-args\.txt, 02-env\.txt … 08-report\.md\)/,
    ],
    ['the folder around it', () => outer(), /Is .*alice meant\?/],
  ])('says in one line what is wrong with %s', async (_, folder, words) => {
    const { code, stdout, stderr } = await cli(['lab', '--check', folder()]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(words);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses options that are about making', async () => {
    const { code, stderr } = await cli(['lab', '--check', studentFolderWith(), '--force']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'fake-istiod: --force goes with making a lab, not with --check. Leave it out\n' });
  });

  it('writes nothing', async () => {
    const folder = studentFolderWith();
    const before = readdirSync(folder);
    await cli(['lab', '--check', folder]);
    expect(readdirSync(folder)).toEqual(before);
    expect(existsSync(join(folder, basename(folder)))).toBe(false);
  });
});

function outer(): string {
  const folder = workFolder();
  mkdirSync(join(folder, 'alice'));
  writeFileSync(join(folder, 'alice', '01-args.txt'), 'role=sidecar\n');
  return folder;
}

function otherPod(text: string): string {
  return text.replace('10.0.0.7~payments-6d5f9.', 'fd00::9~payments-7c9-x2.');
}

function camelJson(): string {
  return JSON.stringify({
    staticResources: {
      clusters: [
        {
          name: 'xds-grpc',
          type: 'STRICT_DNS',
          typedExtensionProtocolOptions: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              explicitHttpConfig: { http2ProtocolOptions: {} },
            },
          },
          loadAssignment: {
            clusterName: 'xds-grpc',
            endpoints: [
              { lbEndpoints: [{ endpoint: { address: { socketAddress: { address: 'istiod.istio-system.svc', portValue: 15012 } } } }] },
            ],
          },
        },
      ],
    },
    dynamicResources: {
      ldsConfig: { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' },
      cdsConfig: { ads: {}, initialFetchTimeout: '0.000s', resourceApiVersion: 'V3' },
      adsConfig: { apiType: 'DELTA_GRPC', transportApiVersion: 'V3', grpcServices: [{ envoyGrpc: { clusterName: 'xds-grpc' } }] },
    },
    admin: { address: { socketAddress: { address: '127.0.0.1', portValue: 9982 } } },
    node: {
      metadata: { WORKLOAD_NAME: 'payments', NAMESPACE: 'default', MESH_ID: 'cluster.local', CLUSTER_ID: 'Kubernetes' },
      cluster: 'payments.default',
      id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
    },
  });
}
