import { connect, createServer } from 'node:net';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { cli, fakeTerminal, type FakeTerminal } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const cluster = (name: string): string => `clusters:\n- name: ${name}\n  connect_timeout: 1s\n  type: STATIC\n`;

interface Serving {
  readonly terminal: FakeTerminal;
  readonly port: number;
  readonly ended: Promise<number>;
}

/** Starts `serve` on a free port and waits until it says so. */
async function serving(args: readonly string[]): Promise<Serving> {
  const terminal = fakeTerminal();
  const ended = runCommandLine(['serve', '--port', '0', '--no-plaintext-port', ...args], terminal);
  await Promise.race([terminal.until('Ctrl-C ends it'), ended]);
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(terminal.written.stderr)?.[1]);
  return { terminal, port, ended };
}

/** Whether something listens there. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true))).on('error', () => resolve(false));
  });
}

describe('serve', () => {
  it('says where it listens and how to point an Envoy at it, until Ctrl-C, which ends it with 0', async () => {
    const file = join(workFolder({ 'c.yaml': cluster('a') }), 'c.yaml');
    const { terminal, port, ended } = await serving([file]);
    expect(await listens(port)).toBe(true);
    await terminal.until('"event":"server.started"');
    terminal.interrupt();
    expect(await ended).toBe(0);
    expect(await listens(port)).toBe(false);
    expect(terminal.written.stdout).toBe('');
    expect(terminal.written.stderr.replaceAll(String(port), 'PORT').replace(/ and \[::1\]:PORT/, '')).toMatch(
      new RegExp(
        `^fake-istiod serves \`${file}\` on 127\\.0\\.0\\.1:PORT \\(TLS and plaintext\\)\\.\nPoint an Envoy at it:\n` +
          '  fake-istiod bootstrap -o envoy\\.json --xds localhost:PORT; envoy -c envoy\\.json\nCtrl-C ends it\\.\n\\{"level":30',
      ),
    );
  });

  it.each([
    ['a name that is too long', 'x'.repeat(300)],
    ['a file that is taken for a folder', 'c.yaml/d.yaml'],
    ['no file', 'nowhere.yaml'],
  ])('tells of %s as any command does', async (_, name) => {
    const folder = workFolder({ 'c.yaml': cluster('a') });
    const { code, stderr } = await cli(['serve', name.includes('/') ? join(folder, name) : name, '--watch']);
    expect(stderr).not.toContain('defect');
    expect(code).toBe(2);
  });

  it('logs each stream at info and nothing at silent', async () => {
    const { terminal, ended } = await serving([join(workFolder({ 'c.yaml': cluster('a') }), 'c.yaml'), '--log-level', 'silent']);
    terminal.interrupt();
    await ended;
    expect(terminal.written.stderr).toMatch(/Ctrl-C ends it\.\n$/);
  });

  it('writes a bootstrap that points at itself to stdout, and nothing else there', async () => {
    const { terminal, port, ended } = await serving([
      join(workFolder({ 'c.yaml': cluster('a') }), 'c.yaml'),
      '--bootstrap-out',
      '-',
      '--variant',
      'sotw',
    ]);
    await terminal.until('}\n');
    terminal.interrupt();
    await ended;
    const bootstrap: unknown = JSON.parse(terminal.written.stdout);
    expect(bootstrap).toMatchObject({ dynamic_resources: { ads_config: { api_type: 'GRPC' } } });
    expect(JSON.stringify(bootstrap)).toContain(`"port_value":${port}`);
  });

  it('puts its own token into a bootstrap that it writes, and says that nobody else can', async () => {
    const scenario = join(workFolder({ 't.yaml': 'title: t\nbootstrap: { token: {} }\n' }), 't.yaml');
    const { terminal, ended } = await serving([scenario, '--bootstrap-out', '-']);
    await terminal.until('}\n');
    terminal.interrupt();
    await ended;
    expect(terminal.written.stdout).toMatch(/"value": ?"Bearer eyJ/);
    const silent = await serving([scenario]);
    silent.terminal.interrupt();
    await silent.ended;
    expect(silent.terminal.written.stderr).toContain(
      'Its Envoy has certificates or tokens of this server: start it with --bootstrap-out envoy.json.\n',
    );
    expect(silent.terminal.written.stderr).not.toContain('fake-istiod bootstrap');
  });

  it('says that a port is taken, by whom to ask and what else to do, and ends with 3', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = await cli([
      'serve',
      join(workFolder({ 'c.yaml': cluster('a') }), 'c.yaml'),
      '--port',
      String(port),
      '--no-plaintext-port',
    ]);
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`^fake-istiod: .*${port}.*--port`));
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses two files with the same resource', async () => {
    const folder = workFolder({ 'a.yaml': cluster('a'), 'b.yaml': cluster('a') });
    const { code, stderr } = await cli(['serve', join(folder, 'a.yaml'), join(folder, 'b.yaml')]);
    expect(code).toBe(2);
    expect(stderr).toBe(`fake-istiod: ${folder}/b.yaml:2:3: clusters[0]: "a" stands in ${folder}/a.yaml already. Take one of them away\n`);
  });

  it('says what a file is that it cannot serve', async () => {
    const file = join(workFolder({ 'cm.yaml': 'apiVersion: v1\nkind: ConfigMap\n' }), 'cm.yaml');
    expect(await cli(['serve', file])).toMatchObject({
      code: 2,
      stderr: `fake-istiod: ${file}: is a Kubernetes ConfigMap, not what Envoy reads. Give the file that Envoy gets\n`,
    });
  });

  it('says that there is no such file', async () => {
    const file = join(workFolder(), 'clusters.yaml');
    expect(await cli(['serve', file])).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file}: no such file`) as string });
  });
});

describe('serve --watch', () => {
  const scenario = (name: string): string =>
    `title: t\nserve:\n  files: [c.yaml]\n  listeners: [{ name: ${name}, address: { socket_address: { address: 127.0.0.1, port_value: 0 } } }]\n`;

  it('reads again what changes, also a file that the scenario names, and pushes what is new', async () => {
    const folder = workFolder({ 'c.yaml': cluster('a'), 's.yaml': scenario('one') });
    const { terminal, ended } = await serving([join(folder, 's.yaml'), '--watch', '--log-level', 'debug']);
    await terminal.until('"event":"server.started"');
    writeFileSync(join(folder, 'c.yaml'), cluster('another'));
    await terminal.until('"names":["another"],"removed":["a"]');
    writeFileSync(join(folder, 's.yaml'), scenario('two'));
    await terminal.until('"names":["two"],"removed":["one"]');
    terminal.interrupt();
    expect(await ended).toBe(0);
  });

  it('keeps what it serves while a file is wrong, says what is wrong, and goes on when it is right again', async () => {
    const file = join(workFolder({ 'c.yaml': cluster('a') }), 'c.yaml');
    const { terminal, ended } = await serving([file, '--watch', '--log-level', 'debug']);
    await terminal.until('"event":"server.started"');
    writeFileSync(file, 'clusters: [{ name: a, conect_timeout: 1s }]\n');
    await terminal.until('"event":"reload.failed"');
    expect(terminal.written.stderr).toContain('c.yaml:1:23');
    rmSync(file);
    await terminal.until('c.yaml: no such file');
    writeFileSync(file, cluster('b'));
    await terminal.until('"names":["b"],"removed":["a"]');
    terminal.interrupt();
    expect(await ended).toBe(0);
  });
});
