import type { Reader } from 'protobufjs/minimal.js';
import { readMessage, readNested, tagOf, WireType } from '../wire/message-reader.ts';

/** One host of a name table, in the form of proto3 JSON. */
export interface NameInfo {
  readonly ips?: readonly string[];
  readonly registry?: string;
  readonly shortname?: string;
  readonly namespace?: string;
  readonly altHosts?: readonly string[];
}

/** What istiod tells an agent that answers DNS (`istio.networking.nds.v1.NameTable`). */
export interface NameTable {
  readonly table: Readonly<Record<string, NameInfo>>;
}

/** Reads a name table; throws if `bytes` are none. */
export function decodeNameTable(bytes: Uint8Array): NameTable {
  const entries: [string, NameInfo][] = [];
  readMessage(bytes, (reader) => (tag) => {
    if (tag !== tagOf(1, WireType.bytes)) return false;
    entries.push(readEntry(reader));
    return true;
  });
  return { table: Object.fromEntries(entries) };
}

function readEntry(reader: Reader): [string, NameInfo] {
  let host = '';
  let info: NameInfo = {};
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.bytes)) host = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) info = readInfo(reader);
    else return false;
    return true;
  });
  return [host, info];
}

function readInfo(reader: Reader): NameInfo {
  const ips: string[] = [];
  const altHosts: string[] = [];
  const texts = ['', '', ''];
  readNested(reader, (tag) => {
    const text = [2, 3, 4].findIndex((field) => tag === tagOf(field, WireType.bytes));
    if (text >= 0) texts[text] = reader.string();
    else if (tag === tagOf(1, WireType.bytes)) ips.push(reader.string());
    else if (tag === tagOf(5, WireType.bytes)) altHosts.push(reader.string());
    else return false;
    return true;
  });
  const [registry = '', shortname = '', namespace = ''] = texts;
  return {
    ...(ips.length > 0 ? { ips } : {}),
    ...(registry === '' ? {} : { registry }),
    ...(shortname === '' ? {} : { shortname }),
    ...(namespace === '' ? {} : { namespace }),
    ...(altHosts.length > 0 ? { altHosts } : {}),
  };
}

/** `caCertificatesPem` of an `istio.mesh.v1alpha1.ProxyConfig` (field 34); throws if `bytes` are none. */
export function decodeRootsOfProxyConfig(bytes: Uint8Array): readonly string[] {
  const pems: string[] = [];
  readMessage(bytes, (reader) => (tag) => {
    if (tag !== tagOf(34, WireType.bytes)) return false;
    pems.push(reader.string());
    return true;
  });
  return pems;
}
