import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';

/** Media types of a body: YAML is a superset of JSON, so one reader reads both. */
const jsonTypes = /^application\/(json|[\w.+-]+\+json)$/;
const yamlTypes = /^(application|text)\/(x-)?yaml$/;

/** A body as a document that knows its lines; undefined if the request has none. Errors `input.*`, `request.media-type-unsupported`. */
export async function bodyDocument(request: Request, maxInputBytes: number): Promise<SourceDocument | undefined> {
  const bytes = await bodyBytes(request, maxInputBytes);
  if (bytes.length === 0) return undefined;
  const mediaType = (request.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  if (!jsonTypes.test(mediaType) && !yamlTypes.test(mediaType)) throw wrongMediaType(mediaType);
  if (jsonTypes.test(mediaType)) refuseOther(bytes);
  const document = readDocument({ name: 'body', bytes }, { maxInputBytes });
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

/** What is called JSON has to be JSON: YAML that is taken for it would be a surprise elsewhere. */
function refuseOther(bytes: Uint8Array): void {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw FakeIstiodError.of('input.syntax', [
      {
        at: { file: 'body' },
        what: `is no JSON: ${(error as Error).message}`,
        remedy: 'YAML is taken, too, as `Content-Type: application/yaml`',
      },
    ]);
  }
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
