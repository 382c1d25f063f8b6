import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarioBootstrap } from '../../src/cli/scenario-bootstrap.ts';
import { cli, type Outcome } from './fake-terminal.ts';
import { noEnvoy, workFolder } from './work-folder.ts';

/** Checks one file; its folder is left out of what is said. */
async function check(content: string | Uint8Array, name = 'file.yaml', ...options: string[]): Promise<Outcome> {
  const folder = workFolder({ [name]: content });
  const { code, stdout, stderr } = await cli(['check', join(folder, name), ...options], { env: noEnvoy });
  const short = (text: string): string => text.replaceAll(`${folder}/`, '');
  return { code, stdout: short(stdout), stderr: short(stderr) };
}

const cluster = 'clusters:\n- name: a\n  connect_timeout: 1s\n  type: STATIC\n';

describe('check', () => {
  it('finds nothing in good resources', async () => {
    expect(await check(cluster)).toEqual({ code: 0, stdout: 'file.yaml: resources: ok (1 resource)\n', stderr: '' });
  });

  it('finds a misspelt field and says where and what was meant', async () => {
    const { code, stdout } = await check(cluster.replace('connect_timeout', 'conect_timeout'));
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^file\.yaml:3:3: clusters\[0\]\.conect_timeout: unknown field "conect_timeout".*Did you mean "connect_timeout"\?\n/,
    );
    expect(stdout).toMatch(/\nfile\.yaml: resources: 1 finding\n$/);
  });

  it('takes our own bootstrap, and says that no Envoy looked at it', async () => {
    expect(await check(JSON.stringify(scenarioBootstrap(undefined, {})), 'envoy.json')).toEqual({
      code: 0,
      stdout: 'envoy.json: bootstrap: ok (not shown to an Envoy: none is here; --envoy 1.40.0 fetches one)\n',
      stderr: '',
    });
  });

  it('gives several files each its line and the worst exit code', async () => {
    const folder = workFolder({ 'good.yaml': cluster, 'bad.yaml': 'clusters: 5', 'empty.yaml': '' });
    const files = ['good.yaml', 'bad.yaml', 'empty.yaml'].map((name) => join(folder, name));
    const both = await cli(['check', ...files.slice(0, 2)], { env: noEnvoy });
    expect(both.code).toBe(1);
    const all = await cli(['check', ...files], { env: noEnvoy });
    expect(all.code).toBe(2);
    expect(all.stdout).toContain('good.yaml: resources: ok');
    expect(all.stderr).toBe(`fake-istiod: ${folder}/empty.yaml: the file is empty (0 bytes)\n`);
  });

  it('reads stdin', async () => {
    expect(await cli(['check', '-'], { env: noEnvoy, stdin: cluster })).toMatchObject({
      code: 0,
      stdout: '<stdin>: resources: ok (1 resource)\n',
    });
  });

  it('gives a program one JSON document', async () => {
    const { code, stdout, stderr } = await check('apiVersion: v1\nkind: ConfigMap\n', 'cm.yaml', '--json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ file: 'cm.yaml', kind: null, ok: false, findings: [{ what: 'is a Kubernetes ConfigMap, not what Envoy reads' }] }],
    });
  });

  it('says what a file is that is no bootstrap, even if told to take it for one', async () => {
    const { code, stdout } = await check('apiVersion: v1\nkind: ConfigMap\n', 'cm.yaml', '--kind', 'bootstrap');
    expect(code).toBe(1);
    expect(stdout).toContain('cm.yaml: is a Kubernetes ConfigMap, not what Envoy reads');
  });

  it('fails with 3 if the Envoy that was named is not to be had', async () => {
    const { code, stderr } = await check('static_resources: {}\nadmin: {}', 'b.yaml', '--envoy', '/nonexistent/envoy');
    expect(code).toBe(3);
    expect(stderr).toContain('cannot find the Envoy that was named');
  });
});

const unreadable: readonly (readonly [what: string, content: string | Uint8Array, text: string])[] = [
  ['empty', '', 'file.yaml: the file is empty (0 bytes)'],
  ['nothing but comments', '# nothing\n', 'file.yaml: the file holds nothing but comments or empty documents'],
  ['Latin-1', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a), 'file.yaml:1: is not UTF-8 (0xe9) at byte 3. Give YAML or JSON text in UTF-8'],
  ['binary', Uint8Array.of(0x61, 0, 0), 'file.yaml:1: is binary (a zero byte) at byte 1. Give YAML or JSON text in UTF-8'],
  ['a template', 'node: { id: {{ .nodeID }} }', 'file.yaml:1:13: looks like a template ({{). Render it first and give the result'],
];

describe('check of what cannot be read', () => {
  it.each(unreadable)('ends with 2 and one clear error: %s', async (_, content, text) => {
    expect(await check(content)).toEqual({ code: 2, stdout: '', stderr: `fake-istiod: ${text}\n` });
  });

  it.each([
    ['deeply nested', `${'['.repeat(5000)}${']'.repeat(5000)}`, /nested more than \d+ levels deep/],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
        .split('')
        .map((k, i) => `${k}: &${k} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
        .join('\n')}`,
      /alias/,
    ],
    ['broken YAML', 'a: [1, 2\nb: {', /not valid YAML/],
  ])('ends with 2 and one line, whatever is in it: %s', async (_, content, text) => {
    const { code, stderr } = await check(content);
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is refused by size before it is parsed', async () => {
    const { code, stderr } = await check(`a: ${'x'.repeat(2000)}`, 'file.yaml', '--max-input', '1k');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'fake-istiod: file.yaml: is 2003 bytes, more than the limit of 1024. Raise it with --max-input (maxInputBytes)\n',
    });
  });

  it.each([
    ['nowhere.yaml', 'no such file. Check the path; it is taken from the current folder'],
    ['.', 'is a directory. Give a file'],
  ])('names what is not there to be read: %s', async (name, text) => {
    const path = join(workFolder(), name);
    expect(await cli(['check', path], { env: noEnvoy })).toEqual({ code: 2, stdout: '', stderr: `fake-istiod: ${path}: ${text}\n` });
  });
});
