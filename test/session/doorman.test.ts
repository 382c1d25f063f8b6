import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/protocol/response.ts';
import type { IdentityCommand } from '../../src/script/command.ts';
import type { Doorman, Guest } from '../../src/session/doorman.ts';
import type { StreamDescription, StreamHandler } from '../../src/session/stream-port.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { node, url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

const no: Status = { code: 16, message: 'no' };
const yes: Guest = { mayBe: () => undefined };

/** A doorman that decides when the test does. */
class SlowDoorman implements Doorman {
  readonly seen: StreamDescription[] = [];
  decide: (made: Guest | Status) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  receive(stream: StreamDescription): Promise<Guest | Status> {
    this.seen.push(stream);
    return new Promise((resolve, reject) => {
      this.decide = resolve;
      this.fail = reject;
    });
  }
}

describe.each(bothVariants)('A stream that waits for the doorman, in %s', (variant) => {
  function waiting() {
    const doorman = new SlowDoorman();
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } }, { doorman });
    const ended: Status[] = [];
    const sent: string[] = [];
    const port = {
      send: (response: { typeUrl: string }) => void sent.push(response.typeUrl),
      end: (status: Status) => void ended.push(status),
    };
    const credentials = { authorization: 'secret' };
    const handler = stage.plane.sessions.open({ variant, peer: 'p', secure: true, credentials }, port) as StreamHandler;
    return { doorman, stage, ended, sent, handler };
  }
  const ask = (type: 'CDS' | 'LDS') =>
    variant === 'sotw'
      ? ({ variant, typeUrl: url(type), nonce: '', names: [], version: '', node } as never)
      : ({ variant, typeUrl: url(type), nonce: '', subscribe: [], unsubscribe: [], initialVersions: new Map(), node } as never);

  it('is heard once it is let in, in order', async () => {
    const { doorman, stage, sent, handler } = waiting();
    handler.receive(ask('CDS'));
    handler.receive(ask('LDS'));
    expect([stage.events, sent]).toEqual([[], []]);
    doorman.decide(yes);
    await handler.admitted;
    expect(sent).toEqual([url('CDS'), url('LDS')]);
    expect(stage.events.map(({ event }) => event).slice(0, 2)).toEqual(['stream.opened', 'request.received']);
  });

  it('is described to the doorman with its credentials, and to nobody else', async () => {
    const { doorman, stage, handler } = waiting();
    doorman.decide(yes);
    await handler.admitted;
    expect(doorman.seen).toMatchObject([{ credentials: { authorization: 'secret' } }]);
    expect(JSON.stringify(stage.events)).not.toContain('secret');
  });

  it('is refused, and what it said is never heard', async () => {
    const { doorman, stage, ended, sent, handler } = waiting();
    handler.receive(ask('CDS'));
    doorman.decide(no);
    await handler.admitted;
    handler.receive(ask('LDS'));
    expect([ended, sent]).toEqual([[no], []]);
    expect(stage.events).toEqual([{ event: 'stream.refused', stream: 1, variant, peer: 'p', secure: true, code: 16, text: 'no' }]);
  });

  it('ends with status 13 if the doorman fails', async () => {
    const { doorman, ended, handler } = waiting();
    doorman.fail(new Error('broken'));
    await handler.admitted;
    expect(ended).toEqual([{ code: 13, message: 'the caller could not be authenticated' }]);
  });

  it('is nobody if it goes away before it is decided', async () => {
    const { doorman, stage, handler } = waiting();
    handler.receive(ask('CDS'));
    handler.closed('client', { code: 1, message: 'gone' });
    doorman.decide(yes);
    await handler.admitted;
    expect([stage.events, stage.plane.sessions.all]).toEqual([[], []]);
  });

  it('that goes away later is closed as any other', async () => {
    const { doorman, stage, handler } = waiting();
    doorman.decide(yes);
    await handler.admitted;
    handler.closed('client', { code: 1, message: 'gone' });
    expect(stage.events.at(-1)).toMatchObject({ event: 'stream.closed', by: 'client' });
  });
});

describe('The doorman', () => {
  it('is not asked while istiod is not ready, nor about a stream that the script refuses', () => {
    const doorman = new SlowDoorman();
    const stage = new Stage({}, { doorman, ready: false });
    stage.connect();
    stage.perform({ kind: 'set-ready', ready: true });
    stage.perform({ kind: 'refuse', status: no, count: 1 });
    stage.connect();
    expect(doorman.seen).toEqual([]);
    stage.connect();
    expect(doorman.seen).toHaveLength(1);
  });

  it('is asked about the node once, at the first request', () => {
    const asked: string[] = [];
    const guest: Guest = { mayBe: ({ id }) => void asked.push(id) };
    const stage = new Stage({ CDS: { a: '1' } }, { doorman: { receive: () => guest } });
    const client = stage.connect();
    client.ask('CDS');
    client.ask('LDS');
    expect(asked).toEqual([node.id]);
  });

  it('can keep a client from being a node', () => {
    const stage = new Stage({ CDS: { a: '1' } }, { doorman: { receive: () => ({ mayBe: () => no }) } });
    const client = stage.connect();
    client.ask('CDS');
    expect([client.ended, client.told]).toEqual([no, []]);
    expect(stage.events.map(({ event }) => event)).toEqual(['stream.opened', 'stream.closed']);
  });
});

describe('A command about identity', () => {
  it.each<[IdentityCommand, string]>([
    [{ kind: 'auth', wish: { audiences: ['x'] } }, 'changePolicy {"audiences":["x"]}'],
    [{ kind: 'auth', wish: 'off' }, 'changePolicy "off"'],
    [{ kind: 'gate', service: 'ca', state: 'closed', tries: 3, caller: '*' }, 'closeGate "ca" {"id":"gate-1","tries":3,"caller":"*"}'],
    [{ kind: 'gate', service: 'xds', state: 'closed' }, 'closeGate "xds" {"id":"gate-1"}'],
    [{ kind: 'gate', service: 'xds', state: 'open' }, 'openGate "xds"'],
    [{ kind: 'rate-limit', perSecond: 2 }, 'limitRate 2'],
    [{ kind: 'rate-limit' }, 'limitRate '],
    [{ kind: 'tls', preset: 'expired' }, 'presentTls "expired"'],
    [{ kind: 'rotate-root' }, 'rotateRoot'],
    [{ kind: 'expire-certificate', afterMs: 500 }, 'expireCertificate 500'],
  ])('%j reaches those who decide', (command, call) => {
    const stage = new Stage();
    stage.perform(command);
    expect(stage.server.calls).toEqual([call]);
    expect(stage.events).toMatchObject([{ event: 'command.performed' }]);
  });
});
