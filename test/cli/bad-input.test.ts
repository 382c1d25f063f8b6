import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, type Outcome } from './fake-terminal.ts';
import { noEnvoy, workFolder } from './work-folder.ts';

const bomb = `title: x\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
  .split('')
  .map(
    (key, i) =>
      `${key}: &${key} [${Array<string>(9)
        .fill(`*${'abcdefgh'[i] ?? ''}`)
        .join(',')}]`,
  )
  .join('\n')}`;

/** Scenario files that are wrong, and all that is said about each. */
const wrong: readonly (readonly [what: string, content: string | Uint8Array, text: string])[] = [
  ['an empty file', '', 'bad.yaml: the file is empty (0 bytes)'],
  [
    'a file that is not UTF-8',
    Uint8Array.of(0x61, 0x3a, 0x20, 0xe9),
    'bad.yaml:1: is not UTF-8 (0xe9) at byte 3. Give YAML or JSON text in UTF-8',
  ],
  ['deep nesting', `title: x\nserve: ${'['.repeat(5000)}${']'.repeat(5000)}`, 'bad.yaml:2:207: is nested more than 200 levels deep'],
  [
    'an alias bomb',
    bomb,
    'bad.yaml: its aliases (*name) stand for far more than the file holds. Write the values out, or use fewer aliases',
  ],
  ['a wrong key', 'title: x\nserv: {}\nexpect: []\n', 'bad.yaml:2:1: serv: unknown key "serv" in a scenario. Did you mean "serve"?'],
  [
    'a name that is there twice',
    'title: x\nserve:\n  clusters:\n  - { name: a }\n  - { name: a }\n',
    'bad.yaml:5:5: serve.clusters[1]: the name "a" is taken, by the resource at bad.yaml:4:5. Rename one, or write allow_duplicates: true to serve both on purpose',
  ],
  [
    'an unknown trigger',
    'title: x\nserve: {}\nsteps:\n- when: { request.recieved: CDS }\n  do: [{ release: CDS }]\n',
    'bad.yaml:4:11: steps[0].when["request.recieved"]: unknown key "request.recieved" in a trigger. Did you mean "request.received"?',
  ],
  [
    'a duration without a unit',
    'title: x\nserve: {}\nexpect:\n- { state: LIVE, within: 5 }\n',
    'bad.yaml:4:26: expect[0].within: found 5, expected a duration with its unit. Write it like 200ms, 2s or 1m',
  ],
];

async function withFile(command: string, content: string | Uint8Array, ...options: string[]): Promise<Outcome> {
  const folder = workFolder({ 'bad.yaml': content });
  const { code, stdout, stderr } = await cli([command, join(folder, 'bad.yaml'), ...options], { env: noEnvoy });
  return { code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') };
}

describe.each(['run', 'serve', 'explain', 'bootstrap'])('`%s`', (command) => {
  it.each(wrong)('ends with 2 and one clear error for %s', async (_, content, text) => {
    expect(await withFile(command, content)).toEqual({ code: 2, stdout: '', stderr: `fake-istiod: ${text}\n` });
  });

  it('refuses a file over --max-input before it is parsed', async () => {
    expect(await withFile(command, `title: ${'x'.repeat(2000)}\n`, '--max-input', '1k')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'fake-istiod: bad.yaml: is 2008 bytes, more than the limit of 1024. Raise it with --max-input (maxInputBytes)\n',
    });
  });

  it('names the scenario that was probably meant', async () => {
    const { code, stderr } = await cli([command, 'withold-first-cds'], { env: noEnvoy });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^fake-istiod: there is no file withold-first-cds.*Did you mean withhold-first-cds\?.*\n$/);
  });
});

describe('`run`', () => {
  it('says what is wrong with each of several files at once', async () => {
    const folder = workFolder({ 'a.yaml': '', 'b.yaml': 'title: x\nserv: {}\n' });
    const { code, stderr } = await cli(['run', join(folder, 'a.yaml'), join(folder, 'b.yaml')], { env: noEnvoy });
    expect(code).toBe(2);
    expect(stderr.replaceAll(`${folder}/`, '')).toBe(
      'fake-istiod: 2 problems\na.yaml: the file is empty (0 bytes)\nb.yaml:2:1: serv: unknown key "serv" in a scenario. Did you mean "serve"?\n',
    );
  });

  it('lists where it looked for an Envoy if there is none to be had, and ends with 3', async () => {
    const { code, stdout, stderr } = await cli(['run', 'ready'], { env: noEnvoy });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    for (const place of ['ENVOY_BIN', 'PATH', 'cache', 'pypi', 'docker']) expect(stderr).toContain(`\n  ${place}: `);
    expect(stderr).toMatch(/\nName an Envoy by `--envoy PATH`.*\n$/);
  });

  it('keeps one Envoy for one run', async () => {
    const { code, stderr } = await cli(['run', 'ready', 'withhold-eds', '--hold'], { env: noEnvoy });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'fake-istiod: --hold goes with one run, and these are 2. Name one scenario, and --variant sotw or delta\n',
    });
  });

  it('says that no Envoy is behind an admin URL', async () => {
    const { code, stderr } = await cli(['run', 'ready', '--envoy-admin', 'http://127.0.0.1:1'], { env: noEnvoy });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^fake-istiod: Envoy's admin API at http:\/\/127\.0\.0\.1:1 does not answer .*ECONNREFUSED.*\n$/);
  });

  it('says what is no bootstrap before it starts anything', async () => {
    const folder = workFolder({ 'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\n' });
    const { code, stderr } = await cli(['run', 'ready', '--bootstrap', join(folder, 'cm.yaml')], { env: noEnvoy });
    expect(code).toBe(2);
    expect(stderr).toContain('cm.yaml: is a Kubernetes ConfigMap, not what Envoy reads');
  });
});

describe('`scenarios`', () => {
  it('lists name and title in columns', async () => {
    const { code, stdout } = await cli(['scenarios']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^withhold-first-cds {2,}The first CDS response is withheld/m);
  });

  it('searches, in any case, the whole file', async () => {
    const { stdout } = await cli(['scenarios', '--search', 'NACK', '--names']);
    expect(stdout.split('\n')).toContain('nack-then-fix');
    expect(stdout).not.toContain('silent-port');
  });

  it('ends with 1 and says so if nothing is found', async () => {
    expect(await cli(['scenarios', '--search', 'xyzzy'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^No scenario is about "xyzzy"/) as string,
    });
  });

  it('gives a program JSON', async () => {
    const list = JSON.parse((await cli(['scenarios', '--json'])).stdout) as readonly { name: string }[];
    expect(list.map(({ name }) => name)).toContain('ready');
  });
});
