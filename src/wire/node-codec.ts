import type { Reader } from 'protobufjs/minimal.js';
import type { Node } from '../protocol/node.ts';
import { readNested, tagOf, WireType } from './message-reader.ts';
import { readStruct } from './struct-codec.ts';

/**
 * Reads an `envoy.config.core.v3.Node` that begins here with its length. The core needs who it is; the rest (extensions, listening
 * addresses, client features …) is skipped.
 */
export function readNode(reader: Reader): Node {
  let id = '';
  let cluster = '';
  let metadata: Node['metadata'] = {};
  let locality: Node['locality'];
  let agentName = '';
  let agentVersion = '';
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.bytes)) id = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) cluster = reader.string();
    else if (tag === tagOf(3, WireType.bytes)) metadata = readStruct(reader);
    else if (tag === tagOf(4, WireType.bytes)) locality = readLocality(reader);
    else if (tag === tagOf(6, WireType.bytes)) agentName = reader.string();
    else if (tag === tagOf(7, WireType.bytes)) agentVersion = reader.string();
    else if (tag === tagOf(8, WireType.bytes)) agentVersion = readBuildVersion(reader);
    else return false;
    return true;
  });
  const userAgent = [agentName, agentVersion].filter(Boolean).join(' ');
  return { id, cluster, metadata, ...(locality && { locality }), ...(userAgent && { userAgent }) };
}

/** A `Locality`; parts that are empty are left out. */
function readLocality(reader: Reader): NonNullable<Node['locality']> {
  let region = '';
  let zone = '';
  let subZone = '';
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.bytes)) region = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) zone = reader.string();
    else if (tag === tagOf(3, WireType.bytes)) subZone = reader.string();
    else return false;
    return true;
  });
  return { ...(region && { region }), ...(zone && { zone }), ...(subZone && { subZone }) };
}

/** A `BuildVersion` as `major.minor.patch`. */
function readBuildVersion(reader: Reader): string {
  let version = '';
  readNested(reader, (tag) => {
    if (tag !== tagOf(1, WireType.bytes)) return false;
    version = readSemanticVersion(reader);
    return true;
  });
  return version;
}

function readSemanticVersion(reader: Reader): string {
  const numbers = [0, 0, 0];
  readNested(reader, (tag) => {
    const position = [tagOf(1, WireType.varint), tagOf(2, WireType.varint), tagOf(3, WireType.varint)].indexOf(tag);
    if (position < 0) return false;
    numbers[position] = reader.uint32();
    return true;
  });
  return numbers.join('.');
}
