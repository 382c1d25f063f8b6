import protobuf from 'protobufjs/minimal.js';
import { findMessageShape } from './shape-registry.ts';

/** The name that a serialized resource gives itself (`cluster_name` of an endpoint assignment); '' if it has none or its type is unknown. */
export function nameInBytes(typeUrl: string, bytes: Uint8Array): string {
  const shape = findMessageShape(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  const field = shape?.fieldNamed('name') ?? shape?.fieldNamed('cluster_name');
  if (field?.kind !== 'string' || field.repeated) return '';
  try {
    return lastText(bytes, field.number);
  } catch {
    return '';
  }
}

/** Of a field that is given twice, the last one counts. */
function lastText(bytes: Uint8Array, fieldNumber: number): string {
  const reader = protobuf.Reader.create(bytes);
  let text = '';
  while (reader.pos < reader.len) {
    const tag = reader.tag();
    if (tag === ((fieldNumber << 3) | 2)) text = reader.string();
    else reader.skipType(tag & 7, undefined, tag >>> 3);
  }
  return text;
}
