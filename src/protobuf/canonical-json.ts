import protojson from 'protobufjs/ext/protojson.js';
import { FakeIstiodError } from '../errors.ts';
import { openAnys } from './any-open.ts';
import { problemsAt } from './check.ts';
import { programmatic } from './document.ts';
import { JsonWalk } from './json-walk.ts';
import { encodeMessage } from './message-json.ts';
import { messageType } from './message-type.ts';
import { messageShape } from './shape-registry.ts';

/**
 * Canonical proto3 JSON (both key styles; plain values as `readDocument` gives them) to the bytes of a message. Read as
 * Envoy reads it: enum names in any case, `yes` and `on` for booleans, one value for a list of one.
 * `google.protobuf.Any` is `{ "@type": ... }` or the raw form `{ typeUrl, base64 }`.
 *
 * @throws FakeIstiodError `resource.invalid` with one problem for each thing wrong; only their paths are known here.
 */
export function encodeJson(typeName: string, value: unknown): Uint8Array {
  const walk = new JsonWalk();
  const bytes = encodeMessage(walk, messageShape(typeName), value);
  if (bytes) return bytes;
  throw FakeIstiodError.of('resource.invalid', problemsAt(walk.problems, programmatic));
}

/**
 * Bytes of a message as canonical proto3 JSON, lowerCamel. An `Any` whose type the set lacks becomes
 * `{ "@type": url, "value": base64 }`; one whose bytes are not of its type the raw form `{ typeUrl, base64 }`.
 * `encodeJson` takes both back.
 *
 * @throws FakeIstiodError `resource.invalid` when the bytes are no such message.
 */
export function decodeJson(typeName: string, bytes: Uint8Array): unknown {
  const type = messageType(typeName);
  try {
    return openAnys(type, protojson.toJson(type, type.decode(bytes)));
  } catch (error) {
    throw new FakeIstiodError('resource.invalid', `these ${bytes.length} bytes are no ${typeName}: ${(error as Error).message}`, {
      remedy: 'Give the bytes of one such message alone: not as JSON, not inside an Any, without the five bytes that gRPC puts before it',
      cause: error,
    });
  }
}
