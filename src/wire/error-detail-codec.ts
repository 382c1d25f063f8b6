import type { Reader } from 'protobufjs/minimal.js';
import type { ErrorDetail } from '../protocol/request.ts';
import { readNested, tagOf, WireType } from './message-reader.ts';

/** Reads a `google.rpc.Status` that begins here with its length; its details are skipped. */
export function readErrorDetail(reader: Reader): ErrorDetail {
  let code = 0;
  let message = '';
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.varint)) code = reader.int32();
    else if (tag === tagOf(2, WireType.bytes)) message = reader.string();
    else return false;
    return true;
  });
  return { code, message };
}
