import type { DebugAnswer } from './answer.ts';
import type { DebuggedIstiod } from './face.ts';

/** One question about the server itself. */
export interface DebugQuestion {
  readonly istiod: DebuggedIstiod;
  readonly query: URLSearchParams;
  /** True with `pretty` in the query: JSON is indented. */
  readonly pretty: boolean;
  /** A caller of this namespace sees its own proxies alone; undefined: all. */
  readonly namespace: string | undefined;
}

/** What can be asked under `/debug/`. */
export interface DebugPath {
  readonly help: string;
  /** False: served, and left out of `list`, as by an istiod that was not started with UNSAFE_ENABLE_ADMIN_ENDPOINTS. */
  readonly listed?: boolean;
  answer(question: DebugQuestion): DebugAnswer | Promise<DebugAnswer>;
}
