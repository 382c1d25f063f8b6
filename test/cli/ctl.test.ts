import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { routes } from '../../src/control/route-table.ts';
import { startFakeIstiod, TypeUrl, type FakeIstiod } from '../../src/index.ts';
import { RawClient } from '../wire/raw-client.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { cli, fakeTerminal, type Outcome } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const node = { id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local', cluster: 'shop.demo' };
const clusters = (...names: string[]) => ({ clusters: names.map((name) => ({ name, connect_timeout: '1s' })) });

interface Lab {
  readonly istiod: FakeIstiod;
  readonly env: NodeJS.ProcessEnv;
  ctl(...argv: string[]): Promise<Outcome>;
  connect(): Promise<void>;
}

async function lab(token?: string): Promise<Lab> {
  const control = { port: 0, ...(token === undefined ? {} : { token }) };
  const istiod = await startFakeIstiod({ serve: clusters('a', 'b'), control });
  onTestFinished(() => istiod.stop());
  const env = { FAKE_ISTIOD_CONTROL: istiod.control?.url ?? '' };
  return {
    istiod,
    env,
    ctl: (...argv) => cli(['ctl', ...argv], { env }),
    async connect() {
      const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
      onTestFinished(() => client.session.destroy());
      const call = client.stream('delta');
      call.send({ node, typeUrl: TypeUrl.cluster });
      await istiod.waitFor({ event: 'response.sent', type: 'CDS' });
    },
  };
}

describe('ctl', () => {
  it('tells how the server stands, and who is connected', async () => {
    const { ctl, connect } = await lab();
    expect((await ctl('state')).stdout).toMatch(/^server {4}up\nxDS .*\nscenario {2}none/);
    expect(await ctl('nodes')).toMatchObject({ code: 0, stdout: 'no node\n' });
    await connect();
    expect((await ctl('nodes')).stdout).toMatch(/sidecar~10.0.0.1~\S+ +1 stream +CDS sent/);
    expect((await ctl('nodes', '--gone')).stdout).toBe('no node\n');
    expect((await ctl('node', node.id)).stdout).toMatch(/stream 1: ADS, delta, plaintext from \S+, since/);
    expect((await ctl('subscriptions', '--type', 'CDS')).stdout).toMatch(/CDS +\* +sent/);
    expect(JSON.parse((await ctl('nodes', '--json')).stdout)).toMatchObject({ nodes: [{ id: node.id, connected: true }] });
    const unknown = await ctl('node', 'x');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining(`Known are ${node.id}`) as string]);
  });

  it('puts rules in force, lists, changes and removes them, and begins anew', async () => {
    const { ctl, istiod } = await lab();
    expect((await ctl('withhold', 'CDS', '--names', 'a', '--node', 'sidecar~*')).stdout).toBe(
      'withhold CDS of a for nodes with id sidecar~*\nin force: withhold-1\n',
    );
    await ctl('delay', 'EDS', '2s', '--variant', 'delta');
    await ctl('drop', 'LDS', '--times', '2');
    await ctl('refuse', '--code', 'RESOURCE_EXHAUSTED', '--message', 'enough', '--times', '3');
    await ctl('gate', 'xds', 'closed', '--tries', '4', '--caller', 'x*');
    await ctl('rate-limit', '5');
    await ctl('tls', 'expired');
    await ctl('auth', '{issuer: x}');
    await ctl('expire-certificate', '2s');
    await ctl('perform', '{ready: false}');
    expect((await ctl('rules', 'list')).stdout.split('\n')).toEqual([
      'withhold-1   withhold CDS of a for nodes with id sidecar~*',
      'delay-2      delay EDS responses by 2 s in delta',
      'drop-3       drop the next 2 LDS responses',
      'refuse-4     refuse the next 3 streams with status 8 RESOURCE_EXHAUSTED (enough)',
      'gate-5       close the xDS gate for 4 tries to x*',
      'rate-limit   let in 5 new streams per second',
      'tls          show an expired certificate in new handshakes',
      'auth         ask callers who they are (issued by x)',
      'certificate  let the server certificate expire in 2 s',
      'ready        let istiod be not ready',
      '',
    ]);
    expect((await ctl('rules', 'change', 'drop-3', '{drop: {type: LDS, times: 7}}')).stdout).toBe(
      'drop-3  drop the next 7 LDS responses\n',
    );
    expect((await ctl('rules', 'add', '{withhold: RDS}')).stdout).toMatch(/withhold RDS/);
    expect((await ctl('rules', 'show', 'tls')).stdout).toContain('{"tls":"expired"}');
    expect((await ctl('rules', 'remove', 'tls', 'auth')).stdout).toBe('removed: tls, auth\n');
    expect((await ctl('rules', 'remove', '--kind', 'gate')).stdout).toBe('removed: gate-5\n');
    await ctl('accept');
    await ctl('release', 'CDS');
    expect(istiod.rules.map(({ kind }) => kind)).not.toContain('refuse');
    expect((await ctl('reset')).stdout).toBe('begun anew\n');
    expect((await ctl('rules', 'list')).stdout).toBe('nothing is in force\n');
  });

  it('serves other resources, from files in any form, and waits for their acknowledgement', async () => {
    const { ctl, connect, istiod } = await lab();
    const folder = workFolder();
    const file = join(folder, 'clusters.yaml');
    writeFileSync(file, 'clusters:\n- {name: c, connect_timeout: 1s}\n');
    expect((await ctl('snapshot', 'put', file)).stdout).toMatch(/^published \S+: CDS changed\n$/);
    writeFileSync(file, '- {"@type": type.googleapis.com/envoy.config.cluster.v3.Cluster, name: d, connect_timeout: 1s}\n');
    await ctl('snapshot', 'patch', file);
    expect((await ctl('snapshot', 'get')).stdout).toMatch(/version \S+\nCDS {2}c {2}\d+ bytes\nCDS {2}d/);
    expect((await ctl('snapshot', 'get', 'CDS', 'd')).stdout).toContain('"name": "d"');
    await ctl('snapshot', 'remove', 'CDS', 'd');
    expect(istiod.snapshot().types[0]?.resources.map(({ name }) => name)).toEqual(['c']);
    await ctl('snapshot', 'put', file, '--node', node.id);
    expect((await ctl('dump', '--node', node.id)).stdout).toContain('"d"');
    await connect();
    const unacked = await ctl('snapshot', 'put', file, '--acked', '50ms');
    expect([unacked.code, unacked.stderr]).toEqual([1, expect.stringContaining('CDS: sent, no answer yet') as string]);
    writeFileSync(file, 'clusters:\n- {name: c, connect_timeout: 1x}\n');
    const wrong = await ctl('snapshot', 'put', file);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`${file}:2:`) as string]);
  });

  it('plays scenarios by name and from files', async () => {
    const { ctl, istiod } = await lab();
    expect((await ctl('scenario', 'load', 'withhold-first-cds')).stdout).toMatch(/^withhold-first-cds: /);
    const file = join(workFolder(), 'mine.yaml');
    writeFileSync(file, 'title: mine\nwithhold: [LDS]\nsteps:\n- name: one\n  when: {after: 60s}\n  do: {release: LDS}\n');
    const loaded = await ctl('scenario', 'load', file);
    expect([loaded.stderr, loaded.code]).toEqual(['', 0]);
    expect(istiod.rules.map(({ sentence }) => sentence)).toEqual(['withhold LDS']);
    expect((await ctl('scenario', 'show')).stdout).toContain('waiting  one');
    await ctl('scenario', 'stop');
    expect((await ctl('scenario', 'show')).stdout).toContain('never fired  one');
    expect((await ctl('scenario', 'explain', file)).stdout).toContain('Withheld from the start: LDS.');
    expect((await ctl('scenario', 'list')).stdout).toContain('withhold-first-cds');
  });

  it('waits, and counts frames; what does not come ends with 1 and says why', async () => {
    const { ctl, connect } = await lab();
    await connect();
    expect((await ctl('wait', 'event', 'response.sent', 'type=CDS')).code).toBe(0);
    const never = await ctl('wait', 'event', 'response.nacked', 'type=CDS', '--timeout', '20ms');
    expect([never.code, never.stderr]).toEqual([1, expect.stringContaining('within 20 ms') as string]);
    expect((await ctl('wait', 'acked', '--timeout', '20ms')).stderr).toContain('CDS: sent, no answer yet');
    expect((await ctl('journal', 'count', '--direction', 'in')).stdout).toBe('1\n');
    expect((await ctl('journal', 'list')).stdout).toMatch(/← CDS request \(initial\)[^]*→ CDS response \(reply\)/);
    const [seq = ''] = /^#(\d+)/.exec((await ctl('journal', 'list', '--direction', 'out')).stdout)?.slice(1) ?? [];
    expect((await ctl('journal', 'show', seq)).stdout).toContain('"nonce"');
    expect((await ctl('journal', 'assert', '--exactly', '1', '--outcome', 'initial', '--type', 'CDS')).code).toBe(0);
    const other = await ctl('journal', 'assert', '--at-least', '2', '--outcome', 'nack');
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('expected at least 2 requests (nack)') as string]);
    expect((await ctl('close', '--stream', '1')).stdout).toBe('closed: 1 stream\n');
  });

  it('tells events, and follows them until Ctrl-C', async () => {
    const { ctl, istiod, env } = await lab();
    await ctl('mark', 'noon');
    await ctl('report', '{event: envoy.state-reached, state: LIVE}');
    expect((await ctl('events', '--event', 'moment.*', '--event', 'envoy.*')).stdout).toMatch(/moment noon\n.*LIVE/);
    const terminal = fakeTerminal({ env });
    const done = runCommandLine(['ctl', 'events', '--follow', '--event', 'moment.*', '--json'], terminal);
    await terminal.until('noon');
    istiod.mark('evening');
    await terminal.until('evening');
    terminal.interrupt();
    expect(await done).toBe(0);
    expect(terminal.written.stdout.trim().split('\n')).toHaveLength(2);
  });

  it('makes what proxies prove themselves with, and their bootstrap', async () => {
    const { ctl, istiod } = await lab();
    expect((await ctl('token', '--namespace', 'demo', '--service-account', 'web')).stdout.split('.')).toHaveLength(3);
    expect((await ctl('certificate', '--namespace', 'demo')).stdout).toMatch(/BEGIN CERTIFICATE[^]*PRIVATE KEY/);
    expect(`${(await ctl('root-certificate')).stdout.trim()}\n`).toBe(await istiod.rootCertificate());
    expect((await ctl('bootstrap', '--variant', 'sotw', '--node', 'me')).stdout).toContain('"id": "me"');
    expect((await ctl('version')).stdout).toContain('fake-istiod');
  });

  it('moves the server', async () => {
    const { ctl } = await lab();
    expect((await ctl('server', 'silent', '--not-ready')).stdout).toBe('server silent, not ready\n');
    expect((await ctl('server', 'up', '--ready')).stdout).toBe('server up\n');
    expect((await ctl('rotate-root')).stdout).toContain('sign by a new root');
  });
});

describe('ctl says what is wrong', () => {
  it.each([
    [['tls', 'bogus'], 2, 'fake-istiod: tls: found "bogus", expected '],
    [['gate', 'xds', 'ajar'], 2, 'gates.xds: found "ajar"'],
    [['rules', 'remove', 'x'], 2, 'no rule with the id "x" is in force. None is in force'],
    [['scenario', 'load', 'no-such'], 2, 'no packaged scenario of that name'],
    [['snapshot', 'put', 'no-such.yaml'], 2, 'no-such.yaml: no such file'],
    [['wait', 'event', 'response.acked', 'CDS'], 2, '"CDS" is no field=value'],
    [['wait', 'event', 'response.akced'], 2, 'response.acked'],
    [['state', '--istiod', 'nonsense'], 2, '"nonsense" is no URL of a control API'],
  ])('in %j', async (argv, code, text) => {
    const outcome = await (await lab()).ctl(...argv);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(text) as string]);
    expect(outcome.stdout).toBe('');
  });

  it('of a file by its name, with line and column', async () => {
    const { ctl, env } = await lab();
    await ctl('withhold', 'CDS');
    const folder = workFolder({
      'c.yaml': '- release: CDS\n- realease: CDS\n',
      'r.yaml': 'delay:\n  type: CDS\n  by: 5\n',
      'e.yaml': 'event: x\n',
    });
    const file = (name: string): string => `@${join(folder, name)}`;
    const told = async (...argv: string[]) => (await ctl(...argv)).stderr.replaceAll(folder, 'FOLDER');
    expect(await told('perform', file('c.yaml'))).toMatch(/FOLDER\/c\.yaml:2:3: .*"realease"/);
    expect(await told('rules', 'add', file('r.yaml'))).toMatch(/FOLDER\/r\.yaml:3:7: delay\.by: found 5/);
    expect(await told('rules', 'change', 'withhold-1', file('r.yaml'))).toMatch(/FOLDER\/r\.yaml:3:7: delay\.by: found 5/);
    expect(await told('report', file('e.yaml'))).toMatch(/FOLDER\/e\.yaml:1:8: event: found "x"/);
    const piped = await cli(['ctl', 'perform', '@-'], { env, stdin: 'release:\n- CSD\n' });
    expect(piped.stderr).toMatch(/<stdin>:2:3: release\[0\]/);
  });

  it('where nobody answers, or asks for a token', async () => {
    const { istiod, ctl, env } = await lab('secret');
    const refused = await ctl('state');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('token') as string]);
    expect((await ctl('state', '--token', 'secret')).code).toBe(0);
    expect((await cli(['ctl', 'state'], { env: { ...env, FAKE_ISTIOD_CONTROL_TOKEN: 'secret' } })).code).toBe(0);
    await istiod.stop();
    const gone = await ctl('state');
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('no control API answers at') as string]);
  });
});

describe('ctl and the control API', () => {
  it('can do the same', () => {
    const sources = ['ctl-look', 'ctl-content', 'ctl-move', 'ctl-events'].map((name) =>
      readFileSync(new URL(`../../src/cli/action/${name}.ts`, import.meta.url), 'utf8'),
    );
    const asked = new Set(
      sources.flatMap((text) => [...text.matchAll(/'((?:GET|PUT|POST|PATCH|DELETE) \/[^']*)'/g)].map(([, word]) => word)),
    );
    // What ctl has no word of its own for, because another one does it: for browsers and probes, or the same by POST /commands and PUT /snapshot.
    const elsewhere = new Set([
      'GET /',
      'GET /openapi.json',
      'GET /health',
      'GET /events/stream',
      'POST /withhold',
      'POST /release',
      'PUT /snapshot/{type}',
      'PUT /snapshot/{type}/{name}',
    ]);
    const operations = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    expect(operations.filter((operation) => !asked.has(operation) && !elsewhere.has(operation))).toEqual([]);
    expect([...asked, ...elsewhere].filter((operation) => !operations.includes(operation ?? ''))).toEqual([]);
  });
});
