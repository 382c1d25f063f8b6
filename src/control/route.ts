import type * as v from 'valibot';
import type { Clock } from '../clock.ts';
import type { PositionOf, SourceDocument } from '../protobuf/document.ts';
import type { Findings } from '../script/findings.ts';
import type { EventFeed } from './event-feed.ts';
import type { ControlledIstiod } from './face.ts';

export const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** Where in the documentation an operation stands. */
export const tags = ['Server', 'Nodes', 'What is served', 'Rules', 'Identity', 'Scenarios', 'Events', 'Journal'] as const;
export type Tag = (typeof tags)[number];

type Entries = v.ObjectEntries;
type Values<E extends Entries> = Told<v.InferOutput<v.ObjectSchema<E, undefined>>>;

/** A value that is only read. */
export type Told<T> = T extends (infer M)[] ? readonly Told<M>[] : T extends object ? { readonly [K in keyof T]: Told<T[K]> } : T;

/** What a handler is given besides the request's own words. */
export interface RouteContext {
  readonly istiod: ControlledIstiod;
  readonly clock: Clock;
  readonly feed: EventFeed;
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal;
  /** Where problems with the meaning of the body are collected; they are told once the handler throws or returns. */
  readonly findings: Findings;
  /** The body as it was written; undefined if there is none. */
  readonly document: SourceDocument | undefined;
  /** Where a path of the body stands in its text. */
  readonly at: PositionOf;
  /** All operations there are, by their ids. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly headers: Headers;
}

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

/** What an operation answers with if it is no JSON. */
export type MediaType = 'text/event-stream' | 'text/html' | 'text/plain' | 'application/x-pem-file' | 'application/vnd.oai.openapi+json';

/** One operation: what is asked, what is answered, and who answers. */
export interface Route<
  P extends Entries = Entries,
  Q extends Entries = Entries,
  B extends v.GenericSchema | undefined = v.GenericSchema | undefined,
  R extends v.GenericSchema = v.GenericSchema,
  M extends Method = Method,
  W extends `/${string}` = `/${string}`,
> {
  readonly method: M;
  /** With parameters in braces, as OpenAPI has them: `/nodes/{node}`. */
  readonly path: W;
  readonly tag: Tag;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** The same in the library, e.g. `istiod.release(type)`; empty for what is about HTTP itself. */
  readonly library: string;
  /** The same in a shell: commands of `fake-istiod ctl`. None for what is about HTTP itself. */
  readonly ctl: readonly string[];
  readonly params: P;
  readonly query: Q;
  /** Left out: a body is an error. */
  readonly body?: B;
  readonly answer: R;
  /** Default: JSON. */
  readonly produces?: MediaType;
  /** True: answered without a token, too; tells nothing of what the server does. */
  readonly open?: boolean;
  /** Error codes besides those that any request can be answered with: what can be wrong with what is named or awaited. */
  readonly errors?: readonly RouteError[];
  handle(input: RouteInput<Values<P>, Values<Q>, BodyOf<B>>, context: RouteContext): Answered<R> | Promise<Answered<R>>;
}

/** 404: what is named is not there. 409: what is awaited or asserted is not so. 503: stopped, or the environment is wrong. */
export type RouteError = 404 | 409;

type BodyOf<B> = B extends v.GenericSchema ? Told<v.InferOutput<B>> : undefined;
type Answered<R extends v.GenericSchema> = Told<v.InferInput<R>> | Response;

/** Fixes the types of an operation, so that its handler is checked against what it declares. */
export function route<
  const P extends Entries,
  const Q extends Entries,
  R extends v.GenericSchema,
  const M extends Method,
  const W extends `/${string}`,
  B extends v.GenericSchema | undefined = undefined,
>(declared: Route<P, Q, B, R, M, W>): Route<P, Q, B, R, M, W> {
  return declared;
}

/** What a caller of an operation has to give. */
export type CallOf<R> =
  R extends Route<infer P, infer Q, infer B, infer _, infer __, infer ___>
    ? (keyof P extends never ? { readonly params?: undefined } : { readonly params: Values<P> }) & {
        readonly query?: Partial<Values<Q>>;
      } & (B extends v.GenericSchema ? { readonly body?: Told<v.InferInput<B>> } : { readonly body?: undefined })
    : never;

/** What an operation answers with. */
export type AnswerOf<R> = R extends Route<infer _, infer __, infer ___, infer A, infer ____, infer _____> ? Told<v.InferOutput<A>> : never;
