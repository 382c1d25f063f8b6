import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';

/** Media types of a body: YAML is a superset of JSON, so one reader reads both. */
const jsonTypes = /^application\/(json|[\w.+-]+\+json)$/;
const yamlTypes = /^(application|text)\/(x-)?yaml$/;

/** A body as a document that knows its lines; undefined if the request has none. Errors `input.*`, `request.media-type-unsupported`. */
export async function bodyDocument(request: Request, maxInputBytes: number): Promise<SourceDocument | undefined> {
  const bytes = await bodyBytes(request, maxInputBytes);
  if (bytes.length === 0) return undefined;
  refuseCompressed(request.headers.get('content-encoding'));
  const mediaType = (request.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  if (!jsonTypes.test(mediaType) && !yamlTypes.test(mediaType)) throw wrongMediaType(mediaType);
  const document = readBody(bytes, maxInputBytes);
  if (jsonTypes.test(mediaType)) refuseOther(bytes);
  const second = document.documents[1];
  if (!second) return document;
  throw FakeIstiodError.of('request.invalid', [
    { at: second.positionOf([]), what: 'a second document begins here', remedy: 'Send one document, or take --- away' },
  ]);
}

function wrongMediaType(mediaType: string): FakeIstiodError {
  const said = mediaType === '' ? 'nothing says what the body is' : `the body is said to be ${mediaType}`;
  return new FakeIstiodError('request.media-type-unsupported', said, {
    remedy: 'Send JSON or YAML and say so: `Content-Type: application/json` or `application/yaml` (curl: --json)',
  });
}

function refuseCompressed(encoding: string | null): void {
  if (encoding === null || encoding.toLowerCase() === 'identity') return;
  throw new FakeIstiodError('request.media-type-unsupported', `the body is said to be compressed (${encoding})`, {
    remedy: 'Send it as it is, without Content-Encoding',
  });
}

/** A body that is there, and holds something. Errors `input.*`. */
function readBody(bytes: Uint8Array, maxInputBytes: number): SourceDocument {
  try {
    return readDocument({ name: 'body', bytes }, { maxInputBytes });
  } catch (error) {
    if (FakeIstiodError.from(error).code !== 'input.empty') throw error;
    throw FakeIstiodError.of('input.empty', [
      { at: { file: 'body' }, what: 'there is nothing in it', remedy: 'GET /openapi.json says what it may hold' },
    ]);
  }
}

/** What is called JSON has to be JSON: YAML that is taken for it would be a surprise elsewhere. */
function refuseOther(bytes: Uint8Array): void {
  const text = new TextDecoder().decode(bytes);
  const error = jsonTrouble(text);
  if (error === undefined) return;
  const before = text.slice(0, placeOfTrouble(text, error)).split('\n');
  const at = { file: 'body', line: before.length, column: (before.at(-1) ?? '').length + 1 };
  // Without the text around the place, and the place as V8 tells it.
  const words = error.replace(/(, (\.\.\.)?"[^]*| in JSON at position.*)$/, '');
  throw FakeIstiodError.of('input.syntax', [
    { at, what: `is no JSON: ${words}`, remedy: 'YAML is taken, too, as `Content-Type: application/yaml`' },
  ]);
}

function jsonTrouble(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Where a text stops being JSON. Of an unexpected token V8 does not say it: there it is found by halving, as whatever ends earlier merely ends. */
function placeOfTrouble(text: string, trouble: string): number {
  const told = placeTold(trouble);
  if (told !== undefined) return told;
  let [from, to] = [0, text.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (merelyEnds(jsonTrouble(text.slice(0, middle)), middle)) from = middle;
    else to = middle;
  }
  return from;
}

function merelyEnds(trouble: string | undefined, length: number): boolean {
  return trouble === undefined || trouble.includes('end of JSON') || placeTold(trouble) === length;
}

function placeTold(trouble: string): number | undefined {
  const place = / at position (\d+)/.exec(trouble)?.[1];
  return place === undefined ? undefined : Number(place);
}

/** Reads no more than is allowed, whatever the headers promise. */
async function bodyBytes(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): FakeIstiodError {
  return FakeIstiodError.of('input.too-large', [
    { at: { file: 'body' }, what: `holds more than the limit of ${limit} bytes`, remedy: 'Raise it with --max-input (maxInputBytes)' },
  ]);
}
