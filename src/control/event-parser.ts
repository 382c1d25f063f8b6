/** One server-sent event. */
export interface ServerSentEvent {
  /** `message` where none was given. */
  readonly name: string;
  readonly data: string;
}

/** The events of a `text/event-stream` (HTML, 9.2.6); comments and what is not whole are left out. */
export async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

function eventIn(block: string): ServerSentEvent | undefined {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([a-z]+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n') };
}
