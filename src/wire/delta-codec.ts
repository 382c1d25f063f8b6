import type { Reader } from 'protobufjs/minimal.js';
import type { Node } from '../protocol/node.ts';
import type { DeltaRequest, ErrorDetail } from '../protocol/request.ts';
import type { DiscoveryCodec } from './discovery-codec.ts';
import { readErrorDetail } from './error-detail-codec.ts';
import { readMessage, readNested, tagOf, WireType } from './message-reader.ts';
import { NameBudget } from './name-budget.ts';
import { NameLists, Names } from './name-lists.ts';
import { readNode } from './node-codec.ts';
import { deltaResourceForm } from './resource-frame.ts';
import { responseEncoder } from './response-encoder.ts';

const nameLists = new NameLists(3);

/** Reads a `DeltaDiscoveryRequest`. Resource locators are skipped: istiod does not know them. */
function decodeRequest(bytes: Uint8Array): DeltaRequest {
  let typeUrl = '';
  let nonce = '';
  let node: Node | undefined;
  let errorDetail: ErrorDetail | undefined;
  const subscribe = new Names();
  const unsubscribe: string[] = [];
  const initialVersions = new Map<string, string>();
  const budget = new NameBudget();
  const readName = (reader: Reader): string => {
    budget.spend();
    return reader.string();
  };
  readMessage(bytes, (reader) => (tag) => {
    if (tag === tagOf(3, WireType.bytes)) subscribe.add(nameLists.read(reader, budget));
    else if (tag === tagOf(5, WireType.bytes)) initialVersions.set(...readEntry(reader, readName));
    else if (tag === tagOf(1, WireType.bytes)) node = readNode(reader);
    else if (tag === tagOf(2, WireType.bytes)) typeUrl = reader.string();
    else if (tag === tagOf(4, WireType.bytes)) unsubscribe.push(readName(reader));
    else if (tag === tagOf(6, WireType.bytes)) nonce = reader.string();
    else if (tag === tagOf(7, WireType.bytes)) errorDetail = readErrorDetail(reader);
    else return false;
    return true;
  });
  return {
    variant: 'delta',
    typeUrl,
    nonce,
    subscribe: subscribe.list,
    unsubscribe,
    initialVersions,
    ...(node && { node }),
    ...(errorDetail && { errorDetail }),
  };
}

/** An entry of a `map<string, string>` that begins here with its length. */
function readEntry(reader: Reader, readName: (reader: Reader) => string): [string, string] {
  let key = '';
  let value = '';
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.bytes)) key = readName(reader);
    else if (tag === tagOf(2, WireType.bytes)) value = reader.string();
    else return false;
    return true;
  });
  return [key, value];
}

/** `DeltaDiscoveryRequest` and `DeltaDiscoveryResponse` (envoy/service/discovery/v3/discovery.proto). */
export const deltaCodec: DiscoveryCodec = { decodeRequest, encodeResponse: responseEncoder(deltaResourceForm, 7) };
