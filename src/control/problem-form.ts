import * as v from 'valibot';
import { errorCatalogue, type ErrorCode } from '../errors.ts';
import { described } from '../script/schema-parts.ts';
import { requestParts } from './problem.ts';

const place = described(v.pipe(v.number(), v.integer(), v.minValue(1)), 'Counted from 1');

/** An error, as it is answered. */
export const problemForm = v.strictObject({
  type: described(v.string(), 'urn:fake-istiod:error: and the code'),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: described(v.string(), 'What is wrong and what to do about it'),
  code: described(v.picklist(Object.keys(errorCatalogue) as ErrorCode[]), 'See docs/reference/errors.md'),
  problems: v.array(
    v.strictObject({
      in: v.optional(described(v.picklist(requestParts), 'Which part of the request')),
      path: v.optional(described(v.string(), 'The path inside that part')),
      line: v.optional(place),
      column: v.optional(place),
      what: v.string(),
      remedy: v.optional(v.string()),
    }),
  ),
});
