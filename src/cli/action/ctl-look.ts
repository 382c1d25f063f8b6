import type { ControlClient } from '../../control/control-client.ts';
import { durationText } from '../../script/duration.ts';
import { textTable } from '../text-table.ts';
import type { Answer } from './ctl.ts';

/** Narrows what is listed. */
export interface NodeQuery {
  readonly node?: string;
  readonly type?: string;
  /** True: only who is connected; false: only who has left. */
  readonly connected?: boolean;
}

/** `ctl state`. */
export async function state(client: ControlClient): Promise<Answer> {
  const json = await client.call('GET /state', {});
  const plain = json.plaintextPort === undefined ? '' : `, plaintext on ${json.plaintextPort}`;
  const rows = [
    ['server', `${json.server}${json.ready ? '' : ', not ready'}`],
    ['xDS', `${json.xdsAddress}${plain}`],
    ['scenario', json.scenario ?? 'none'],
    ['version', json.version],
    ['nodes', `${json.nodes} connected on ${json.streams} streams`],
    ['rules', json.rules.join(', ') || 'none'],
    ['time', `${seconds(json.nowMs)}, ${json.newestSeq} events`],
    ...json.neverFired.map(({ sentence }) => ['waiting', sentence]),
  ];
  return { json, text: textTable(rows) };
}

/** `ctl nodes`. */
export async function nodes(client: ControlClient, { node, connected }: NodeQuery): Promise<Answer> {
  const json = await client.call('GET /nodes', { query: { node, connected } });
  const rows = json.nodes.map(({ id, connected: isHere, leftAtMs, streams, types }) => [
    id,
    isHere ? `${streams.length === 1 ? '1 stream' : `${streams.length} streams`}` : `left at ${seconds(leftAtMs ?? 0)}`,
    types.map(({ type, sync }) => `${type} ${sync}`).join(', ') || 'nothing requested',
  ]);
  return { json, text: rows.length > 0 ? textTable([['NODE', 'STREAMS', 'TYPES'], ...rows]) : 'no node' };
}

/** `ctl node`. */
export async function node(client: ControlClient, id: string): Promise<Answer> {
  const json = await client.call('GET /nodes/{node}', { params: { node: id } });
  const streams = json.streams.map(
    ({ stream, variant, service = 'ADS', peer, secure, openedAtMs, identity }) =>
      `stream ${stream}: ${service}, ${variant}, ${secure ? 'TLS' : 'plaintext'} from ${peer}, since ${seconds(openedAtMs)}${identity ? `, ${identity.spiffeId} by ${identity.by}` : ''}`,
  );
  const facts = [
    ['id', json.id],
    ['cluster', json.cluster || '(none)'],
    ...(json.userAgent === undefined ? [] : [['agent', json.userAgent]]),
    ...(json.locality ? [['locality', [json.locality.region, json.locality.zone, json.locality.subZone].filter(Boolean).join('/')]] : []),
    ['metadata', JSON.stringify(json.metadata)],
  ];
  const here = json.connected ? streams : [`left at ${seconds(json.leftAtMs ?? 0)}`];
  return { json, text: [textTable(facts), ...here, subscriptionTable(json.types)].filter(Boolean).join('\n') };
}

/** `ctl subscriptions`. */
export async function subscriptions(client: ControlClient, { node: pattern, type, connected }: NodeQuery): Promise<Answer> {
  const json = await client.call('GET /subscriptions', { query: { node: pattern, type, connected } });
  const nodeIds = [...new Set(json.subscriptions.map((one) => one.node))];
  const blocks = nodeIds.map(
    (id) =>
      `${id}\n${subscriptionTable(
        json.subscriptions.filter((one) => one.node === id),
        '  ',
      )}`,
  );
  return { json, text: blocks.join('\n') || 'no subscription' };
}

interface Subscription {
  readonly type: string;
  readonly wildcard: string;
  readonly names: readonly string[];
  readonly sync: string;
  readonly sent?: { readonly version: string } | undefined;
  readonly acked?: { readonly version: string } | undefined;
  readonly nacked?: { readonly text: string } | undefined;
  readonly withheld?: 'all' | readonly string[] | undefined;
}

function subscriptionTable(types: readonly Subscription[], indent = ''): string {
  if (types.length === 0) return '';
  const rows = types.map(({ type, wildcard, names, sync, sent, acked, nacked, withheld }) => [
    type,
    [...(wildcard === 'no' ? [] : ['*']), ...names].join(' ') || '(nothing)',
    sync,
    sent?.version ?? '-',
    acked?.version ?? '-',
    [...(withheld ? [`withheld: ${withheld === 'all' ? 'all' : withheld.join(' ')}`] : []), ...(nacked ? [nacked.text] : [])].join('; '),
  ]);
  return textTable([['TYPE', 'NAMES', 'SYNC', 'SENT', 'ACKED', ''], ...rows], indent);
}

/** `ctl journal list`. */
export interface FrameQuery {
  readonly direction?: 'in' | 'out';
  readonly type?: string;
  readonly node?: string;
  readonly stream?: number;
  readonly variant?: 'sotw' | 'delta';
  readonly outcome?: 'initial' | 'ack' | 'nack' | 'stale' | 'spontaneous';
  readonly cause?: 'reply' | 'push' | 'release' | 'warming' | 'heartbeat';
  readonly version?: string;
  readonly nonce?: string;
  readonly name?: string;
  readonly text?: string;
  readonly since?: number;
}

/** `ctl journal list`. */
export async function frames(client: ControlClient, query: FrameQuery & { readonly limit?: number }): Promise<Answer> {
  const [json, { frameText }] = await Promise.all([client.call('GET /journal', { query }), import('../../observe/frame-text.ts')]);
  const lines = json.frames.map((frame) => frameText(frame as Parameters<typeof frameText>[0]));
  const gone = json.dropped > 0 ? [`(${json.dropped} older events are no longer kept)`] : [];
  return { json, text: [...gone, ...lines].join('\n') || 'no frame' };
}

/** `ctl journal show`. */
export async function frame(client: ControlClient, seq: number): Promise<Answer> {
  const [json, { frameText }] = await Promise.all([
    client.call('GET /journal/{seq}', { params: { seq } }),
    import('../../observe/frame-text.ts'),
  ]);
  const line = frameText(json as Parameters<typeof frameText>[0]);
  return { json, text: `${line}\n${json.message ? JSON.stringify(json.message, undefined, 2) : 'its bytes are no longer kept'}` };
}

/** `ctl journal count`. */
export async function countFrames(client: ControlClient, query: FrameQuery): Promise<Answer> {
  const json = await client.call('GET /journal/count', { query });
  return { json, text: String(json.count) };
}

/** `ctl journal assert`. */
export async function assertFrames(
  client: ControlClient,
  query: FrameQuery,
  { exactly, atLeast, atMost }: { readonly exactly?: number; readonly atLeast?: number; readonly atMost?: number },
): Promise<Answer> {
  const json = await client.call('GET /journal/assert', { query: { ...query, exactly, at_least: atLeast, at_most: atMost } });
  return { json, text: `as expected: ${json.count}` };
}

function seconds(ms: number): string {
  return durationText(Math.round(ms));
}
