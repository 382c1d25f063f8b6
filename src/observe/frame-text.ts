import { resourceTypeNamed } from '../protocol/resource-type.ts';
import type { Frame, FrameCount, FrameFilter } from './frame.ts';
import { shortened } from './short-text.ts';

const shownNames = 4;

/** A frame in one line: `#12 0.104 s ← CDS request (ack) from sidecar~…, version …, nonce …`. */
export function frameText(frame: Frame): string {
  const { seq, atMs, type, node, stream, version, nonce, names, removed, size } = frame;
  const client = node ?? `stream ${stream}`;
  const what =
    frame.direction === 'in' ? `← ${type} request (${frame.outcome}) from ${client}` : `→ ${type} response (${frame.cause}) to ${client}`;
  const parts = [
    ...(names.length > 0 ? [namesText(names)] : []),
    ...(removed.length > 0 ? [`without ${namesText(removed)}`] : []),
    ...(version ? [`version ${version}`] : []),
    ...(nonce ? [`nonce ${nonce}`] : []),
    ...(size === undefined ? [] : [`${size} bytes`]),
    ...(frame.direction === 'in' && frame.errorDetail ? [`error ${frame.errorDetail.code}: ${frame.errorDetail.message}`] : []),
  ];
  return [`#${seq} ${(atMs / 1000).toFixed(3)} s ${what}`, ...parts].map(shortened).join(', ');
}

function namesText(names: readonly string[]): string {
  return names.length > shownNames ? `${names.length} names` : names.map(shortened).join(' ');
}

/** `exactly 1`, `at least 1 and at most 3`. */
export function countText({ exactly, atLeast, atMost }: FrameCount): string {
  const bounds = [
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ];
  return bounds.join(' and ');
}

/** What a filter means, in words: `CDS requests with outcome nack from node x`. */
export function filterText({ direction, type, outcome, cause, node, text, name, since, ...rest }: FrameFilter): string {
  const noun = direction === 'in' || outcome ? 'requests' : direction === 'out' || cause ? 'responses' : 'frames';
  const short = type === undefined ? '' : `${resourceTypeNamed(type)?.short ?? type} `;
  const word = outcome ?? cause;
  return [
    `${short}${noun}`,
    ...(word ? [`(${word})`] : []),
    ...(node === undefined ? [] : [`of node ${node}`]),
    ...Object.entries(rest).flatMap(([field, value]) => (value === undefined ? [] : [`of ${field} ${value}`])),
    ...(name === undefined ? [] : [`that name ${name}`]),
    ...(text === undefined ? [] : [`that say ${text}`]),
    ...(since === undefined ? [] : [`after #${since}`]),
  ].join(' ');
}
