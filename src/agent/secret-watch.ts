import type { SotwRequest } from '../protocol/request.ts';

/** What one SDS stream wants. */
export interface SecretWatch {
  readonly names: ReadonlySet<string>;
  /** Of the last response on this stream; empty before the first. */
  readonly nonce: string;
}

/** What a request changes, and the names that have to be sent for it. */
export interface SecretAnswer {
  readonly watch: SecretWatch | undefined;
  readonly send: readonly string[];
}

/** How pilot-agent answers a request of SDS: as istiod answers one of a type that is no wildcard (istio pkg/xds/server.go:ShouldRespond). */
export function answerOf(watch: SecretWatch | undefined, { errorDetail, names, nonce }: SotwRequest): SecretAnswer {
  if (errorDetail) return { watch, send: [] };
  if (names.length === 0) return { watch: undefined, send: [] };
  if (nonce === '' || !watch) return { watch: { names: new Set(names), nonce: '' }, send: names };
  if (nonce !== watch.nonce) return { watch, send: [] };
  return { watch: { ...watch, names: new Set(names) }, send: names.filter((name) => !watch.names.has(name)) };
}
