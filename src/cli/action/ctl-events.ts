import type { ControlClient } from '../../control/control-client.ts';
import { ExitCode } from '../../errors.ts';
import type { TimelineEvent } from '../../events.ts';
import { eventText } from '../../observe/event-text.ts';
import { writeLine, type Terminal } from '../terminal.ts';
import { clientFor, type Answer, type CtlOptions } from './ctl.ts';

export interface EventQuery {
  readonly event?: readonly string[];
  readonly type?: string;
  readonly node?: string;
}

export interface EventsOptions extends EventQuery, CtlOptions {
  readonly since?: number;
  readonly limit?: number;
  readonly follow?: boolean;
}

/** `ctl events`: those that have happened, and with `follow` those that happen, until Ctrl-C or until the server ends. */
export async function events(terminal: Terminal, options: EventsOptions): Promise<ExitCode> {
  const client = clientFor(terminal, options);
  const { event, type, node, since, limit } = options;
  const query = { event, type, node };
  if (options.follow) return follow(client, terminal, options);
  const json = await client.call('GET /events', { query: { ...query, since, limit } });
  if (options.json) writeLine(terminal.stdout, JSON.stringify(json, undefined, 2));
  else for (const one of json.events) writeLine(terminal.stdout, eventText(one as unknown as TimelineEvent));
  return ExitCode.ok;
}

/** With `--json` an event a line. */
async function follow(client: ControlClient, terminal: Terminal, { json, since, event, type, node }: EventsOptions): Promise<ExitCode> {
  const calledOff = new AbortController();
  const stopListening = terminal.onInterrupt(() => calledOff.abort());
  const width = terminal.stdout.isTty ? { width: terminal.stdout.columns } : {};
  const query = { event, type, node, ...(since === undefined ? {} : { from: String(since + 1) }) };
  try {
    for await (const one of client.events(query, { signal: calledOff.signal }))
      writeLine(terminal.stdout, json ? JSON.stringify(one) : eventText(one, width));
  } catch (error) {
    if (!calledOff.signal.aborted) throw error;
  } finally {
    stopListening();
  }
  return ExitCode.ok;
}

/** What is awaited: an event and its fields as `name=value`. */
export interface Awaited {
  readonly event: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  readonly nth?: number;
  readonly since?: number;
  readonly timeout?: string;
}

/** `ctl wait event`. */
export async function awaitEvent(client: ControlClient, { event, fields, nth, since, timeout }: Awaited): Promise<Answer> {
  const pattern = { ...fields, ...(nth === undefined ? {} : { nth }) };
  const body = { [event]: pattern, ...(since === undefined ? {} : { since }), ...(timeout === undefined ? {} : { timeout }) };
  const json = await client.call('POST /wait', { written: { text: JSON.stringify(body), mediaType: 'application/json' } });
  return { json, text: eventText(json.event as unknown as TimelineEvent) };
}

export interface AckQuery {
  readonly version?: string;
  readonly node?: string;
  readonly type?: readonly string[];
  readonly timeout?: string;
}

/** `ctl wait acked`. */
export async function awaitAck(client: ControlClient, query: AckQuery): Promise<Answer> {
  const json = await client.call('GET /wait/acked', { query });
  const shorts = json.types.map((typeUrl) => typeUrl.slice(typeUrl.lastIndexOf('.') + 1));
  return { json, text: `acknowledged: ${json.version}${shorts.length > 0 ? ` (${shorts.join(', ')})` : ', which changed nothing'}` };
}

/** `ctl report`. */
export async function report(client: ControlClient, text: string | Uint8Array): Promise<Answer> {
  const json = await client.call('POST /events', { written: { text, mediaType: 'application/yaml' } });
  return { json, text: `reported: ${json.reported}` };
}
