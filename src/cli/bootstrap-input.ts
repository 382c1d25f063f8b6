import type { Bootstrap } from '../envoy/bootstrap.ts';
import { isJsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import { readDocument, type SourceDocument } from '../protobuf/document.ts';
import { recognise } from './input-kind.ts';

/** Reads a user's bootstrap file, YAML or JSON. Errors `input.*`, and `bootstrap.invalid` if it is something else. */
export function readBootstrap(file: string, maxInputBytes: number): Bootstrap {
  const document = readDocument(file, { maxInputBytes });
  const found = recognise(document);
  if (found.kind === 'other') throw FakeIstiodError.of('bootstrap.invalid', [{ at: { file }, what: found.what, remedy: found.remedy }]);
  return asPlainJson(document);
}

/** A document as the plain JSON that Envoy reads. Error `bootstrap.invalid` if it is no mapping. */
export function asPlainJson({ name, value }: SourceDocument): Bootstrap {
  // 64-bit numbers are text in proto3 JSON.
  const plain: unknown = JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null',
  );
  if (isJsonObject(plain)) return plain;
  throw FakeIstiodError.of('bootstrap.invalid', [{ at: { file: name }, what: 'is not a mapping, as a bootstrap is' }]);
}
