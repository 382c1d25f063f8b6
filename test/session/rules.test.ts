import { describe, expect, it } from 'vitest';
import type { StreamMatcher } from '../../src/protocol/stream-matcher.ts';
import type { Command } from '../../src/script/command.ts';
import type { RuleCommand } from '../../src/session/rule.ts';
import { node, url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

const withhold = (short: string, more = {}) => ({ kind: 'withhold', rules: [{ typeUrl: url(short), ...more }] }) as const;
const drop = (count: number) => ({ kind: 'drop', typeUrl: url('CDS'), count }) as const;
const status = { code: 14, message: 'no' };
const sentences = (stage: Stage): string[] => stage.plane.rules.map(({ id, sentence }) => `${id}: ${sentence}`);

describe('The rules in force', () => {
  it('are listed in the order they came, each with an id and a sentence', () => {
    const stage = new Stage();
    const commands: Command[] = [
      withhold('CDS'),
      { kind: 'delay', typeUrl: url('LDS'), delayMs: 2000 },
      drop(2),
      { kind: 'refuse', status, count: 3 },
      { kind: 'gate', service: 'xds', state: 'closed' },
      { kind: 'rate-limit', perSecond: 5 },
      { kind: 'tls', preset: 'expired' },
      { kind: 'expire-certificate', afterMs: 1000 },
      { kind: 'auth', wish: { issuer: 'x' } },
      { kind: 'set-ready', ready: false },
      { kind: 'silence-server' },
    ];
    for (const command of commands) expect(stage.plane.perform(command)).toHaveLength(1);
    expect(sentences(stage)).toEqual([
      'withhold-1: withhold CDS',
      'delay-2: delay LDS responses by 2 s',
      'drop-3: drop the next 2 CDS responses',
      'refuse-4: refuse the next 3 streams with status 14 UNAVAILABLE (no)',
      'gate-5: close the xDS gate',
      'rate-limit: let in 5 new streams per second',
      'tls: show an expired certificate in new handshakes',
      'certificate: let the server certificate expire in 1 s',
      'auth: ask callers who they are (issued by x)',
      'ready: let istiod be not ready',
      'server: silence the server',
    ]);
  });

  // The types allow it for a matcher that is held in a variable.
  const one: StreamMatcher = { stream: 1 };
  it.each<RuleCommand>([
    { kind: 'delay', typeUrl: url('LDS'), delayMs: 2000, streams: one },
    { ...drop(1), streams: one },
    { kind: 'refuse', status, streams: one },
  ])('are not for one stream by its number, which is told: $kind', (command) => {
    const stage = new Stage();
    const refused = expect.objectContaining({
      code: 'options.invalid',
      message: expect.stringMatching(/only `close` takes `stream`/) as string,
    });
    expect(() => stage.plane.perform(command)).toThrow(refused);
    stage.plane.perform(withhold('CDS'));
    expect(() => stage.plane.changeRule('withhold-1', command)).toThrow(refused);
    expect(sentences(stage)).toEqual(['withhold-1: withhold CDS']);
  });

  it.each<Command>([
    { kind: 'release', rules: [{ typeUrl: url('CDS') }] },
    { kind: 'delay', typeUrl: url('CDS'), delayMs: 0 },
    { kind: 'accept' },
    { kind: 'rate-limit' },
    { kind: 'tls', preset: 'ok' },
    { kind: 'auth', wish: 'off' },
    { kind: 'set-ready', ready: true },
    { kind: 'start-server' },
  ])('are gone once a command takes them back: $kind', (taking) => {
    const stage = new Stage();
    const bringing: Partial<Record<Command['kind'], Command>> = {
      release: withhold('CDS'),
      delay: { kind: 'delay', typeUrl: url('CDS'), delayMs: 5 },
      accept: { kind: 'refuse', status },
      'rate-limit': { kind: 'rate-limit', perSecond: 1 },
      tls: { kind: 'tls', preset: 'wrong-san' },
      auth: { kind: 'auth', wish: {} },
      'set-ready': { kind: 'set-ready', ready: false },
      'start-server': { kind: 'stop-server' },
    };
    stage.perform(bringing[taking.kind] as Command);
    expect(stage.plane.rules).toHaveLength(1);
    stage.perform(taking);
    expect(stage.plane.rules).toEqual([]);
  });

  it('tell how often they will still strike, and are gone when they are used up', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(drop(2));
    stage.perform({ kind: 'refuse', status, count: 1, streams: { node: { id: 'late' } } });
    stage.connect().ask('CDS');
    expect(stage.plane.rules.map(({ left, command }) => [left, 'count' in command && command.count])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    stage.connect('sotw', 'late').ask('CDS');
    stage.publish({ CDS: { a: '2' } });
    expect(stage.plane.rules).toEqual([]);
  });

  it('keep their id when a release takes a part of them, and say so', () => {
    const stage = new Stage();
    stage.perform(withhold('CDS'));
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS'), names: ['a'] }] });
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS'), node: { id: 'one' } }] });
    expect(sentences(stage)).toEqual(['withhold-1: withhold CDS but for those of a and all for nodes with id one']);
  });

  it('come one by one of a command with several', () => {
    const stage = new Stage();
    const made = stage.plane.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }, { typeUrl: url('LDS') }] });
    expect(made.map(({ sentence }) => sentence)).toEqual(['withhold CDS', 'withhold LDS']);
  });

  it('of one delay for a type give way to the next', () => {
    const stage = new Stage();
    for (const delayMs of [100, 200]) stage.perform({ kind: 'delay', typeUrl: url('CDS'), delayMs });
    expect(sentences(stage)).toEqual(['delay-2: delay CDS responses by 200 ms']);
  });
});

describe('A rule', () => {
  it('that is removed is as if it had never been: what it withheld is sent', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    stage.perform(withhold('CDS'));
    stage.perform(withhold('LDS'));
    const client = stage.connect();
    client.ask('CDS');
    client.ask('LDS');
    stage.plane.removeRule('withhold-1');
    expect(client.told).toEqual(['CDS a=1']);
    expect(sentences(stage)).toEqual(['withhold-2: withhold LDS']);
    expect(stage.eventsOf('command.performed').at(-1)?.sentence).toBe('remove rule withhold-1: withhold CDS');
  });

  it('that is changed keeps its id and its place', () => {
    const stage = new Stage({ CDS: { a: '1', b: '1' } });
    stage.perform(withhold('CDS'));
    stage.perform(drop(1));
    const client = stage.connect('delta');
    client.ask('CDS');
    stage.plane.removeRule('drop-2');
    expect(stage.plane.changeRule('withhold-1', withhold('CDS', { names: ['b'] }))).toMatchObject({ id: 'withhold-1' });
    expect(client.told).toEqual(['CDS a=1']);
    expect(sentences(stage)).toEqual(['withhold-1: withhold CDS of b']);
  });

  it.each<[RuleCommand, RuleCommand]>([
    [drop(1), drop(5)],
    [
      { kind: 'delay', typeUrl: url('CDS'), delayMs: 1 },
      { kind: 'delay', typeUrl: url('LDS'), delayMs: 3 },
    ],
    [
      { kind: 'refuse', status },
      { kind: 'refuse', status, count: 2 },
    ],
    [
      { kind: 'tls', preset: 'expired' },
      { kind: 'tls', preset: 'no-alpn' },
    ],
    [{ kind: 'stop-server' }, { kind: 'silence-server' }],
  ])('%j becomes %j', (before, after) => {
    const stage = new Stage();
    const [rule] = stage.plane.perform(before);
    expect(stage.plane.changeRule(rule?.id ?? '', after)).toMatchObject({ id: rule?.id, command: after });
    expect(stage.plane.rules.map(({ command }) => command)).toEqual([after]);
  });

  it('of who is believed is replaced by a change, and laid over by another command', () => {
    const stage = new Stage();
    stage.perform({ kind: 'auth', wish: { issuer: 'x' } });
    stage.perform({ kind: 'auth', wish: { audiences: ['y'] } });
    expect(sentences(stage)).toEqual(['auth: ask callers who they are (a token has to be for y, issued by x)']);
    stage.plane.changeRule('auth', { kind: 'auth', wish: { issuer: 'z' } });
    expect(sentences(stage)).toEqual(['auth: ask callers who they are (issued by z)']);
    expect(stage.server.calls.slice(-2)).toEqual(['changePolicy "off"', 'changePolicy {"issuer":"z"}']);
  });

  it('of the certificate is lifted without the preset of TLS', () => {
    const stage = new Stage();
    stage.perform({ kind: 'tls', preset: 'no-alpn' });
    stage.perform({ kind: 'expire-certificate', afterMs: 5 });
    stage.plane.removeRule('certificate');
    expect(stage.server.calls.slice(-2)).toEqual(['presentTls "ok"', 'presentTls "no-alpn"']);
    expect(sentences(stage)).toEqual(['tls: agree on no protocol by ALPN and speak HTTP/2 all the same in new handshakes']);
  });

  it('that is not there is an error with those that are', () => {
    const stage = new Stage();
    expect(() => stage.plane.removeRule('drop-1')).toThrow('no rule with the id "drop-1" is in force. None is in force');
    stage.perform(drop(1));
    expect(() => stage.plane.changeRule('x', drop(2))).toThrow('In force are drop-1');
    expect(stage.eventsOf('command.performed')).toHaveLength(1);
  });

  it.each<[RuleCommand, string]>([
    [{ kind: 'refuse', status }, '"refuse new streams with status 14 UNAVAILABLE (no)" is no rule of the kind drop'],
    [drop(0), 'is no rule of the kind drop'],
  ])('cannot become %j', (command, text) => {
    const stage = new Stage();
    stage.perform(drop(1));
    expect(() => stage.plane.changeRule('drop-1', command)).toThrow(text);
    expect(sentences(stage)).toEqual(['drop-1: drop the next CDS response']);
  });
});

describe('Closing', () => {
  it('ends one stream, those of a node, or all, and tells how many', () => {
    const stage = new Stage();
    const clients = ['one', 'two', 'three'].map((id) => stage.connect('sotw', id));
    for (const client of clients) client.ask('CDS');
    expect(stage.plane.close(status, { stream: 2 })).toBe(1);
    expect(stage.plane.close(status, { node: { id: 'one' } })).toBe(1);
    expect(clients.map(({ ended }) => ended?.code)).toEqual([14, 14, undefined]);
    expect(stage.plane.close(status)).toBe(1);
    expect(stage.plane.close(status)).toBe(0);
    expect(stage.eventsOf('command.performed').map(({ sentence }) => sentence)[0]).toBe('close stream 2 with status 14 UNAVAILABLE (no)');
  });
});

describe('What is served to some nodes alone', () => {
  it('starts as what they are served so far, and leaves the others alone', () => {
    const stage = new Stage({ CDS: { a: '1', b: '1' } });
    const [one, two] = [stage.connect('delta', 'one'), stage.connect('delta', 'two')];
    one.ask('CDS');
    two.ask('CDS');
    stage.plane.publishTo({ id: 'one' }, { set: [{ typeUrl: url('CDS'), name: 'c', value: Buffer.from('1') }] });
    stage.plane.publishTo({ id: 'one' }, { remove: new Map([[url('CDS'), ['a']]]) });
    expect(one.told).toEqual(['CDS a=1 b=1', 'CDS c=1', 'CDS -a']);
    expect(two.told).toEqual(['CDS a=1 b=1']);
    const namesFor = (id?: string): string[][] => stage.plane.snapshot(id).types.map(({ resources }) => resources.map(({ name }) => name));
    expect([namesFor('one'), namesFor('two'), namesFor()]).toEqual([[['b', 'c']], [['a', 'b']], [['a', 'b']]]);
  });

  it('is told with its version, in push order, duplicates and empty types included', () => {
    const stage = new Stage({ LDS: { l: '1' } });
    const twice = [1, 2].map((text) => ({ typeUrl: url('CDS'), name: 'a', value: Buffer.from(String(text)), version: 'v' }));
    const { version } = stage.plane.publish({
      replace: new Map([
        [url('CDS'), twice],
        [url('RDS'), []],
      ]),
    });
    const { types, ...rest } = stage.plane.snapshot(node.id);
    expect(rest).toEqual({ node: node.id, version, sequence: 2 });
    expect(
      types.map(({ type, resources }) => [type, resources.map(({ name, value }) => `${name}=${Buffer.from(value).toString()}`)]),
    ).toEqual([
      ['CDS', ['a=1', 'a=2']],
      ['LDS', ['l=1']],
      ['RDS', []],
    ]);
  });
});
