/**
 * Canonical proto3 JSON (both key styles; plain values as `readDocument` gives them) to the bytes of a message.
 * `google.protobuf.Any` is `{ "@type": ... }` or the raw form `{ typeUrl, base64 }`.
 *
 * @throws FakeIstiodError `resource.invalid`; `checkMessage` explains with positions.
 */
export function encodeJson(typeName: string, value: unknown): Uint8Array {
  throw new Error(`not yet: ${typeName} ${String(value)}`);
}

/**
 * Bytes of a message as canonical proto3 JSON, lowerCamel. An `Any` whose type or bytes we do not know becomes
 * `{ "@type": url, "value": base64 }`.
 *
 * @throws FakeIstiodError `resource.invalid` when the bytes are no such message.
 */
export function decodeJson(typeName: string, bytes: Uint8Array): unknown {
  throw new Error(`not yet: ${typeName} ${bytes.length}`);
}
