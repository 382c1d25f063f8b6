import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import type { Frame, FrameFilter } from '../observe/frame.ts';
import { described } from '../script/schema-parts.ts';
import { frameAnswer, framesAnswer } from './answer-forms.ts';
import { countQuery, frameQuery, limitQuery } from './query-forms.ts';
import { messageJson } from './resource-json.ts';
import { route, type Told } from './route.ts';
import { typeUrlIn } from './type-word.ts';

type FrameQuery = Told<v.InferOutput<v.ObjectSchema<typeof frameQuery, undefined>>>;

/** The filter without what is not asked for. Error `request.invalid` for a type that is none. */
function filterOf(query: FrameQuery): FrameFilter {
  if (query.type !== undefined) typeUrlIn('query', 'type', query.type);
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** The message of a frame, by variant and direction. */
function messageName({ variant, direction }: Frame): string {
  const message = `${variant === 'delta' ? 'Delta' : ''}Discovery${direction === 'in' ? 'Request' : 'Response'}`;
  return `envoy.service.discovery.v3.${message}`;
}

const seqParam = { seq: described(v.pipe(v.number(), v.integer(), v.minValue(1)), 'The seq of the frame') };

export const journalRoutes = {
  journal: route({
    method: 'GET',
    path: '/journal',
    tag: 'Journal',
    summary: 'List the requests and responses, oldest first',
    library: 'istiod.journal.frames(filter, limit)',
    ctl: ['journal list'],
    params: {},
    query: { ...frameQuery, limit: limitQuery },
    answer: framesAnswer,
    handle: ({ query: { limit, ...query } }, { istiod: { journal } }) => ({
      frames: journal.frames(filterOf(query), limit).map((frame) => ({ ...frame })),
      dropped: journal.dropped,
    }),
  }),
  countFrames: route({
    method: 'GET',
    path: '/journal/count',
    tag: 'Journal',
    summary: 'Count requests and responses',
    library: 'istiod.journal.count(filter)',
    ctl: ['journal count'],
    params: {},
    query: frameQuery,
    answer: v.strictObject({ count: v.number() }),
    handle: ({ query }, { istiod: { journal } }) => ({ count: journal.count(filterOf(query)) }),
  }),
  assertFrames: route({
    method: 'GET',
    path: '/journal/assert',
    tag: 'Journal',
    summary: 'Assert how many requests or responses there are',
    description:
      '`?exactly=1&direction=in&type=CDS&outcome=initial`. 409 with code `journal.unexpected` says how many there are, and which.',
    library: 'istiod.journal.assert(expected, filter)',
    ctl: ['journal assert'],
    params: {},
    query: { ...frameQuery, ...countQuery },
    answer: v.strictObject({ count: v.number() }),
    errors: [409],
    handle({ query: { exactly, at_least, at_most, ...query } }, { istiod: { journal } }) {
      const filter = filterOf(query);
      const bounds = {
        ...(exactly === undefined ? {} : { exactly }),
        ...(at_least === undefined ? {} : { atLeast: at_least }),
        ...(at_most === undefined ? {} : { atMost: at_most }),
      };
      if (Object.keys(bounds).length === 0)
        throw FakeIstiodError.of('request.invalid', [
          { at: { file: 'query' }, what: 'nothing is expected', remedy: 'Add exactly, at_least or at_most' },
        ]);
      journal.assert(bounds, filter);
      return { count: journal.count(filter) };
    },
  }),
  frame: route({
    method: 'GET',
    path: '/journal/{seq}',
    tag: 'Journal',
    summary: 'Tell one request or response, with its message',
    library: 'istiod.journal.message(seq)',
    ctl: ['journal show'],
    params: seqParam,
    query: {},
    answer: frameAnswer,
    errors: [404],
    handle({ params: { seq } }, { istiod: { journal } }) {
      const [frame] = journal.frames({ since: seq - 1 }).filter((one) => one.seq === seq);
      if (!frame)
        throw new FakeIstiodError('request.not-found', `the journal has no frame ${seq}`, {
          remedy: 'GET /journal lists them; old ones are dropped',
        });
      const bytes = journal.message(seq);
      const message = bytes && messageJson(messageName(frame), bytes);
      return { ...frame, ...(message ? { message } : {}) };
    },
  }),
};
