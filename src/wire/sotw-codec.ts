import type { Node } from '../protocol/node.ts';
import type { ErrorDetail, SotwRequest } from '../protocol/request.ts';
import { readErrorDetail } from './error-detail-codec.ts';
import { readMessage, tagOf, WireType } from './message-reader.ts';
import { NameBudget } from './name-budget.ts';
import { NameLists, Names } from './name-lists.ts';
import { readNode } from './node-codec.ts';
import { anyForm } from './resource-frame.ts';
import { responseEncoder } from './response-encoder.ts';
import type { DiscoveryCodec } from './discovery-codec.ts';

const nameLists = new NameLists(3);

/** Reads a `DiscoveryRequest`. Resource locators are skipped: istiod does not know them. */
function decodeRequest(bytes: Uint8Array): SotwRequest {
  let typeUrl = '';
  let version = '';
  let nonce = '';
  let node: Node | undefined;
  let errorDetail: ErrorDetail | undefined;
  const names = new Names();
  const budget = new NameBudget();
  readMessage(bytes, (reader) => (tag) => {
    if (tag === tagOf(3, WireType.bytes)) names.add(nameLists.read(reader, budget));
    else if (tag === tagOf(1, WireType.bytes)) version = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) node = readNode(reader);
    else if (tag === tagOf(4, WireType.bytes)) typeUrl = reader.string();
    else if (tag === tagOf(5, WireType.bytes)) nonce = reader.string();
    else if (tag === tagOf(6, WireType.bytes)) errorDetail = readErrorDetail(reader);
    else return false;
    return true;
  });
  return { variant: 'sotw', typeUrl, version, nonce, names: names.list, ...(node && { node }), ...(errorDetail && { errorDetail }) };
}

/** `DiscoveryRequest` and `DiscoveryResponse` (envoy/service/discovery/v3/discovery.proto). */
export const sotwCodec: DiscoveryCodec = { decodeRequest, encodeResponse: responseEncoder(anyForm, 6) };
