import { matchesPattern } from '../protocol/node.ts';
import { resourceTypeNamed } from '../protocol/resource-type.ts';
import type { Frame, FrameFilter } from './frame.ts';

/** How one part of a filter is compared. The text says what the frame has instead. */
type Comparison<V> = (wanted: V, frame: Frame) => string | undefined;
type Comparisons = { readonly [K in keyof Required<FrameFilter>]: Comparison<NonNullable<FrameFilter[K]>> };

const is =
  <V>(field: string, of: (frame: Frame) => V | undefined): Comparison<V> =>
  (wanted, frame) =>
    of(frame) === wanted ? undefined : `its ${field} is ${String(of(frame) ?? 'none')}`;

const like =
  (field: string, of: (frame: Frame) => string | undefined): Comparison<string> =>
  (wanted, frame) => {
    const found = of(frame);
    return found !== undefined && matchesPattern(wanted, found) ? undefined : `its ${field} is ${found || 'none'}`;
  };

const comparisons: Comparisons = {
  direction: is('direction', ({ direction }) => direction),
  type: (wanted, { type, typeUrl }) => ((resourceTypeNamed(wanted)?.typeUrl ?? wanted) === typeUrl ? undefined : `its type is ${type}`),
  node: like('node', ({ node }) => node),
  stream: is('stream', ({ stream }) => stream),
  variant: is('variant', ({ variant }) => variant),
  outcome: is('outcome', (frame) => (frame.direction === 'in' ? frame.outcome : undefined)),
  cause: is('cause', (frame) => (frame.direction === 'out' ? frame.cause : undefined)),
  version: like('version', ({ version }) => version),
  nonce: like('nonce', ({ nonce }) => nonce),
  name: (wanted, { names, removed }) =>
    [...names, ...removed].some((name) => matchesPattern(wanted, name))
      ? undefined
      : `it names ${[...names, ...removed].join(', ') || 'nothing'}`,
  text: (wanted, frame) => {
    const said = frame.direction === 'in' ? frame.errorDetail?.message : undefined;
    return said !== undefined && matchesPattern(`*${wanted}*`, said) ? undefined : `it says ${said ?? 'nothing'}`;
  },
  since: (wanted, { seq }) => (seq > wanted ? undefined : `its seq is ${seq}`),
};

/** What of `frame` is other than `filter` wants, in words; nothing if it matches. */
export function frameDifferences(filter: FrameFilter, frame: Frame): readonly string[] {
  return (Object.keys(filter) as (keyof FrameFilter)[]).flatMap((part) => difference(part, filter, frame) ?? []);
}

function difference<K extends keyof FrameFilter>(part: K, filter: FrameFilter, frame: Frame): string | undefined {
  const wanted = filter[part];
  return wanted === undefined ? undefined : comparisons[part](wanted, frame);
}
