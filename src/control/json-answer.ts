/** So many characters are written before others have their turn. */
const turnLength = 128 * 1024;

/** A value as JSON in UTF-8: a text if it is short, else a stream that is written as it is read, so that nobody waits for the whole of it. */
export function jsonBody(value: unknown): string | ReadableStream<Uint8Array> {
  const pieces = jsonPieces(value);
  const first = take(pieces);
  if (first.done) return `${first.text}\n`;
  const encoder = new TextEncoder();
  let begun = false;
  return new ReadableStream({
    async pull(controller) {
      if (!begun) {
        begun = true;
        return controller.enqueue(encoder.encode(first.text));
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
      const { text, done } = take(pieces);
      controller.enqueue(encoder.encode(done ? `${text}\n` : text));
      if (done) controller.close();
    },
  });
}

/** What `JSON.stringify(value, null, 2)` writes, in pieces: each member of the value, and of a list in it, is one. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  if (!isParted(value)) return yield indented(value, '');
  const members = Object.entries(value).filter(([, member]) => JSON.stringify(typeof member === 'object' ? null : member) !== undefined);
  if (members.length === 0) return yield '{}';
  let before = '{\n  ';
  for (const [name, member] of members) {
    yield `${before}${JSON.stringify(name)}: `;
    if (Array.isArray(member) && member.length > 0) yield* listPieces(member);
    else yield indented(member, '  ');
    before = ',\n  ';
  }
  yield '\n}';
}

function* listPieces(list: readonly unknown[]): Generator<string, void> {
  let before = '[\n    ';
  for (const member of list) {
    yield before + indented(member, '    ');
    before = ',\n    ';
  }
  yield '\n  ]';
}

function isParted(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);
}

/** No line break stands in JSON but those between members. */
function indented(value: unknown, indent: string): string {
  const text = (JSON.stringify(value, null, 2) as string | undefined) ?? 'null';
  return indent === '' ? text : text.replaceAll('\n', `\n${indent}`);
}

function take(pieces: Generator<string, void>): { readonly text: string; readonly done: boolean } {
  let text = '';
  while (text.length < turnLength) {
    const { value, done } = pieces.next();
    if (done) return { text, done };
    text += value;
  }
  return { text, done: false };
}
