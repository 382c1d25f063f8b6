import { FakeIstiodError } from '../errors.ts';
import { decodeJson } from '../protobuf/canonical-json.ts';

/** JSON of a resource: its message with `@type`; the raw form where its type is not known or its bytes are not of it. `PUT` takes both. */
export function resourceJson(typeUrl: string, name: string, value: Uint8Array): Readonly<Record<string, unknown>> {
  const message = messageJson(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value);
  return message ? { '@type': typeUrl, ...message } : { typeUrl, name, base64: Buffer.from(value).toString('base64') };
}

/** Undefined if the bytes are no such message, or nobody knows the type. */
export function messageJson(typeName: string, value: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const message = decodeJson(typeName, value);
    return typeof message === 'object' && message !== null ? (message as Readonly<Record<string, unknown>>) : undefined;
  } catch (error) {
    if (error instanceof FakeIstiodError && error.code === 'resource.invalid') return undefined;
    throw error;
  }
}
