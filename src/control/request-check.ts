import * as v from 'valibot';
import { FakeIstiodError, type SourcePosition } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { pathText, type DocumentPath } from '../protobuf/document-path.ts';
import { reportIssues } from '../script/check-form.ts';
import { Findings } from '../script/findings.ts';
import { form } from '../script/schema-parts.ts';
import type { RequestPart } from './problem.ts';
import type { Route, RouteInput } from './route.ts';

type Checked = RouteInput<Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, unknown>;

/** A request taken apart, its values being texts. */
export interface WrittenRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly body: SourceDocument | undefined;
}

/** Everything in a request as the operation declares it. Error `request.invalid`, with everything that is wrong. */
export function checkedRequest(route: Route, { params, query, body }: WrittenRequest, findings: Findings): Checked {
  const checked: Checked = {
    params: checkedTexts('path', 'the path', route.params, manyOf(params)),
    query: checkedTexts('query', 'the query', route.query, query),
    body: checkedBody(route, body, findings),
  };
  findings.throwIfAny('request.invalid');
  return checked;
}

/** Findings in the body; with no text, only paths are known. */
export function bodyFindings(body: SourceDocument | undefined): Findings {
  return new Findings(body?.positionOf ?? placeIn('body'));
}

function placeIn(part: RequestPart): (path: DocumentPath) => SourcePosition {
  return (path) => (path.length === 0 ? { file: part } : { file: part, path: pathText(path) });
}

function manyOf(params: WrittenRequest['params']): WrittenRequest['query'] {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, [text]]));
}

function checkedTexts(part: 'path' | 'query', words: string, entries: v.ObjectEntries, written: WrittenRequest['query']): Checked['query'] {
  const findings = new Findings(placeIn(part));
  const values = Object.fromEntries(Object.entries(written).map(([name, texts]) => [name, valueOf(entries[name], texts)]));
  const result = v.safeParse(form(words, entries), values);
  if (!result.success) reportIssues(result.issues, findings);
  findings.throwIfAny('request.invalid');
  return result.output as Checked['query'];
}

/** What a text stands for where a number, true or false, or a list is wanted; the text itself if it is none, for the schema to say so. */
function valueOf(schema: v.GenericSchema | undefined, texts: readonly string[]): unknown {
  const inner = unwrapped(schema);
  if (inner?.type === 'array') return texts;
  const [text = ''] = texts;
  if (texts.length > 1) return texts;
  if (inner?.type === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (inner?.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}

function unwrapped(schema: v.GenericSchema | undefined): v.GenericSchema | undefined {
  return schema && 'wrapped' in schema ? unwrapped(schema.wrapped as v.GenericSchema) : schema;
}

function checkedBody({ body: schema, method, path }: Route, document: SourceDocument | undefined, findings: Findings): unknown {
  if (!schema) {
    if (document) findings.report([], `${method} ${path} takes no body`, 'Leave it out');
    return undefined;
  }
  if (!document) {
    if (v.safeParse(schema, undefined).success) return undefined;
    throw FakeIstiodError.of('request.invalid', [
      { at: { file: 'body' }, what: 'there is none', remedy: `Send one: GET /openapi.json says what ${method} ${path} takes` },
    ]);
  }
  const result = v.safeParse(schema, document.value);
  // As in a scenario: not the output, which has its keys in the order of the schema, and commands are carried out in the order written.
  if (!result.success) reportIssues(result.issues, findings);
  return document.value;
}
