import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EventFeed, heartbeatMs } from '../../src/control/event-feed.ts';
import { eventsIn } from '../../src/control/event-parser.ts';
import type { TimelineEvent } from '../../src/events.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { manualClock } from '../clock.ts';
import { accept, connected, controlledIstiod, json, node } from './controlled.ts';

/** Opens the stream of events and reads it as text until it holds `until`, or ends. */
async function textOf(response: Response, until: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(until)) break;
  }
  return text;
}

describe('The stream of events', () => {
  it('tells what has happened, then what happens, until the server ends it', async () => {
    const { istiod, client } = await controlledIstiod();
    istiod.mark('before');
    const seen: TimelineEvent[] = [];
    for await (const event of client.events()) {
      seen.push(event);
      if (event.event === 'moment.marked' && event.moment === 'before') istiod.mark('meanwhile');
      if (event.event === 'moment.marked' && event.moment === 'meanwhile') void istiod.stop();
    }
    expect(seen).toEqual(istiod.timeline.events);
    expect(seen.at(-1)?.event).toBe('server.stopped');
  });

  it('goes on where a reader was that comes back, and from the start with an id of another server', async () => {
    const { istiod, url } = await controlledIstiod();
    for (const moment of ['a', 'b', 'c']) istiod.mark(moment);
    const newest = istiod.timeline.events.at(-1)?.seq ?? 0;
    const idsAfter = async (id: string): Promise<readonly number[]> => {
      const response = await fetch(`${url}/events/stream?event=moment.marked`, { headers: { 'last-event-id': id } });
      const text = await textOf(response, `id: ${newest}\n`);
      return [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    };
    expect(await idsAfter(String(newest - 1))).toEqual([newest]);
    expect(await idsAfter('999999')).toContain(newest - 2);
    expect(await idsAfter('no number')).toContain(newest - 2);
  });

  it('is narrowed by name, type and node, and may begin now', async () => {
    const { istiod, client } = await controlledIstiod({ serve: { clusters: [] } });
    const call = await connected(istiod);
    await accept(call);
    await istiod.waitFor({ type: 'response.acked' });
    const first = async (query: Parameters<typeof client.events>[0]): Promise<TimelineEvent | undefined> => {
      for await (const event of client.events(query)) return event;
      return undefined;
    };
    expect(await first({ event: ['response.*'], type: 'CDS', node: 'sidecar~*' })).toMatchObject({ event: 'response.sent', node: node.id });
    expect(await first({ event: ['server.started', 'response.acked'], from: '2' })).toMatchObject({ event: 'response.acked' });
    const next = first({ from: 'now', event: ['moment.marked'] });
    const marking = setInterval(() => istiod.mark('now'), 5);
    onTestFinished(() => clearInterval(marking));
    expect(await next).toMatchObject({ moment: 'now' });
  });

  it('has a thousand readers, who all hear the same; stop ends them all at once', async () => {
    const { istiod, url } = await controlledIstiod();
    const responses: Response[] = [];
    // No more at once than a loaded machine can connect before a client gives up.
    for (let i = 0; i < 20; i += 1)
      responses.push(...(await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/events/stream?event=moment.marked`)))));
    const heard = responses.map((response) => textOf(response, 'event: end'));
    istiod.mark('everybody');
    await istiod.stop();
    const texts = new Set((await Promise.all(heard)).map((text) => text.replaceAll(/^(retry|:).*\n+/gm, '')));
    expect(texts.size).toBe(1);
    expect([...texts][0]).toMatch(/"moment":"everybody".*\n\nevent: end\ndata: /s);
  }, 60_000);

  it('holds up no stop by a reader that never leaves and never reads', async () => {
    const { istiod, url } = await controlledIstiod();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.pause();
    await new Promise((resolve) => socket.once('connect', resolve));
    await fetch(`${url}/health`);
    for (let i = 0; i < 20_000; i += 1) istiod.mark('x'.repeat(100));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await istiod.stop();
    socket.resume();
    await closed;
  });

  it('is there for a caller of whom nothing is left when it has gone', async () => {
    const clock = manualClock();
    const timeline = createTimeline(clock);
    const feed = new EventFeed(timeline, clock);
    const reader = feed.open({ from: 1, matches: () => true }).getReader();
    expect([feed.readers, clock.pending]).toEqual([1, 1]);
    await reader.cancel();
    expect([feed.readers, clock.pending]).toEqual([0, 0]);
  });

  it('tells a reader that is too slow how many events it missed, and keeps no more than a chunk for it', async () => {
    const clock = manualClock();
    const timeline = createTimeline(clock, { capacity: 1_000 });
    const feed = new EventFeed(timeline, clock);
    const reader = feed.open({ from: 1, matches: () => true }).getReader();
    await reader.read();
    for (let i = 0; i < 50_000; i += 1) timeline.record({ event: 'moment.marked', moment: String(i) });
    const texts: string[] = [];
    while (!texts.at(-1)?.includes('"seq":50000')) {
      const { value } = await reader.read();
      texts.push(new TextDecoder().decode(value));
      expect(value?.length).toBeLessThan(100_000);
    }
    const all = texts.join('');
    const missed = [...all.matchAll(/event: missed\ndata: {"missed":(\d+)}/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    const told = [...all.matchAll(/^id: /gm)].length;
    expect(missed).toBeGreaterThan(40_000);
    expect(missed + told).toBe(50_000);
  });

  it('says every so often that it is still there, to all readers by one timer', async () => {
    const clock = manualClock();
    const feed = new EventFeed(createTimeline(clock), clock);
    const readers = [1, 2, 3].map(() => feed.open({ from: 1, matches: () => true }).getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    const beats = readers.map((reader) => reader.read());
    await new Promise((resolve) => setImmediate(resolve));
    expect(clock.pending).toBe(1);
    clock.advance(heartbeatMs);
    for (const beat of beats) expect(new TextDecoder().decode((await beat).value)).toBe(': still here\n\n');
    feed.end('over');
    for (const reader of readers) expect(new TextDecoder().decode((await reader.read()).value)).toContain('event: end');
    expect(clock.pending).toBe(0);
  });

  it('is read whole by the client, however it is cut', async () => {
    const bytes = new TextEncoder().encode(': hello\n\nid: 1\ndata: {"ä":1}\n\nevent: missed\ndata: 1\ndata: 2\n\nid: 2\ndata: cut');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const events: unknown[] = [];
    for await (const event of eventsIn(body)) events.push(event);
    expect(events).toEqual([
      { name: 'message', data: '{"ä":1}' },
      { name: 'missed', data: '1\n2' },
    ]);
  });
});

describe('Events of the proxy, put into the timeline', () => {
  it('are seen by steps and waits', async () => {
    const { istiod, client } = await controlledIstiod();
    const answer = await client.call('POST /events', {
      body: [
        { event: 'envoy.state-reached', state: 'PRE_INITIALIZING' },
        { event: 'envoy.state-reached', state: 'LIVE' },
      ],
    });
    expect(answer).toEqual({ reported: 2, newestSeq: istiod.timeline.last(1)[0]?.seq });
    const { event } = await client.call('POST /wait', { body: { 'envoy.state-reached': { nth: 2 }, timeout: '1s' } });
    expect(event).toMatchObject({ event: 'envoy.state-reached', state: 'LIVE' });
    const { events } = await client.call('GET /events', { query: { event: ['envoy.*'], limit: 1 } });
    expect(events).toEqual([event]);
  });

  it('are not if one of them is none', async () => {
    const { istiod, url } = await controlledIstiod();
    const before = istiod.timeline.events.length;
    const { status } = await fetch(`${url}/events`, json('POST', [{ event: 'envoy.exited' }, { event: 'envoy.exited', code: 'x' }]));
    expect([status, istiod.timeline.events.length]).toEqual([400, before]);
  });
});
